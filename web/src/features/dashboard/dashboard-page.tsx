import Box from '@mui/material/Box';
import type { UsageDimension } from '@tollgate/contracts/api/usage-data';
import { longestHourlyUsage, role } from '@tollgate/contracts/constants';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCompact, formatCount, formatDateTime, formatQuota, viewerZone } from '../../shared/format.ts';
import { RangePanel } from '../../shared/range/range-panel.tsx';
import type { Span } from '../../shared/range/time-range.ts';
import { useHasRole } from '../../shared/session.ts';
import { useGetSelfQuery, useGetStatusQuery, useMoneyDisplay } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import type { Filter } from '../../shared/ui/filter-chip.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { useUrlFilters } from '../../shared/url-state.ts';
import { useGetUsageQuery } from './api.ts';
import { ChartCard } from './chart-card.tsx';
import { colorOf } from './colors.ts';
import { allSpans, axisOf, firstSpan, ownSpans, rangeOf, stepOf, steps, zoneText } from './range.ts';
import { Ranking } from './ranking.tsx';
import { daysLeft, inputAndOutput, measures, type Series, totalsOf, usageOf } from './series.ts';
import { StatStrip } from './stat-strip.tsx';

const filterNames = ['range', 'from', 'to', 'step', 'by', 'measure', 'who', 'username'] as const;
const noRows: never[] = [];
const moment = /^\d{1,12}$/;
const everybodys = ['model', 'token', 'channel', 'group', 'user'] as const satisfies UsageDimension[];
const own = ['model', 'token', 'group'] as const satisfies UsageDimension[];
const knownValues = { range: allSpans, from: moment, to: moment, step: steps, by: everybodys, measure: measures, who: ['self'] };

/** What was used: by model and by whatever else it can be told apart, over time; and how long the balance lasts. */
export function DashboardPage() {
  const { t } = useTranslation(['dashboard', 'shared']);
  const isAdmin = useHasRole(role.admin);
  const money = useMoneyDisplay();
  const { data: status } = useGetStatusQuery();
  const { data: self } = useGetSelfQuery(undefined, { refetchOnMountOrArgChange: true });
  const filters = useUrlFilters(filterNames, knownValues);
  const { values } = filters;
  const [now, setNow] = useState(Date.now);
  const usual = firstSpan(status?.data_export_default_time ?? 'hour');
  const range = useMemo(() => rangeOf(values, usual, now), [values, usual, now]);
  const measure = measures.find((name) => name === values.measure) ?? 'quota';
  const isAll = isAdmin && values.who !== 'self';
  const wanted = stepOf(values.step, range, isAll && values.username === '');
  const dimensions: readonly UsageDimension[] = isAll ? everybodys : own;
  const by = dimensions.find((name) => name === values.by) ?? 'model';
  const { data, error, isFetching, refetch } = useGetUsageQuery(
    {
      isAll,
      query: {
        start_timestamp: range.start,
        end_timestamp: range.end,
        by,
        default_time: wanted,
        zone: viewerZone,
        ...(isAll && values.username && { username: values.username }),
      },
    },
    { skip: !status, refetchOnMountOrArgChange: true },
  );
  // What the playground used belongs to no token.
  const rows = useMemo(
    () => (by === 'token' ? data?.rows.map((row) => (row.key === '0' ? { ...row, label: t('playground') } : row)) : data?.rows) ?? noRows,
    [data, by, t],
  );
  // The server may count in other steps than were asked for; the chart shows those.
  const [first] = rows;
  const step = first === undefined || first.step === 'total' ? wanted : first.step;
  const zone = first?.zone ?? viewerZone;
  const axis = useMemo(() => axisOf(range, step, zone), [range, step, zone]);
  const usage = useMemo(() => usageOf(rows, measure, axis.begins, t('others')), [rows, measure, axis, t]);
  const flow = useMemo(() => inputAndOutput(rows, axis.begins), [rows, axis]);
  const totals = useMemo(() => totalsOf(rows, range), [rows, range]);
  const format = useCallback(
    (value: number): string => (measure === 'quota' ? formatQuota(value, money) : formatCompact(value)),
    [measure, money],
  );
  // What everybody spends says nothing of one's own balance.
  const left = self && data && !isAll ? daysLeft(self.quota, totals.quota, range) : undefined;
  const isWaiting = data === undefined && error === undefined;
  const logOf = ({ key, label }: Series): string | undefined => {
    const field = { model: 'model_name', token: 'token_name', channel: 'channel', group: 'group', user: 'username' }[by];
    if (key === '') return undefined;
    const value = by === 'channel' ? key : label;
    return `/log?${new URLSearchParams({ [field]: value, from: String(range.start), to: String(range.end) })}`;
  };

  const spanLabel = (name: Span): string => t(`ranges.${name}`);
  const shownSpan = allSpans.find((name) => name === values.range) ?? usual;
  const shownRange =
    values.from || values.to
      ? `${formatDateTime(range.start).slice(0, 16)} – ${formatDateTime(range.end).slice(0, 16)}`
      : spanLabel(shownSpan);
  const choices: Filter<(typeof filterNames)[number]>[] = [
    {
      name: 'range',
      label: t('filters.range'),
      kind: 'custom',
      shown: shownRange,
      clears: ['range', 'from', 'to'],
      panel: (close) => (
        <RangePanel
          names={isAll ? allSpans : ownSpans}
          labelOf={spanLabel}
          current={values}
          onApply={(chosen) => {
            close();
            filters.set(chosen);
          }}
        />
      ),
    },
    { name: 'by', label: t('filters.by'), kind: 'select', options: dimensions.map((name) => ({ value: name, label: t(`by.${name}`) })) },
    {
      name: 'measure',
      label: t('filters.measure'),
      kind: 'select',
      options: measures.map((name) => ({ value: name, label: t(`measures.${name}`) })),
    },
    { name: 'step', label: t('filters.step'), kind: 'select', options: steps.map((name) => ({ value: name, label: t(`steps.${name}`) })) },
  ];
  if (isAdmin) {
    choices.push({ name: 'who', label: t('filters.who'), kind: 'select', options: [{ value: 'self', label: t('whoSelf') }] });
    if (isAll) choices.push({ name: 'username', label: t('filters.username'), kind: 'text' });
  }
  const about = [
    t(`axis.${step}`, { zone: zoneText(zone, range.end) }),
    data?.about,
    values.step === 'hour' && wanted !== 'hour' && t('byDay', { days: longestHourlyUsage / 86_400 }),
    (step !== wanted || zone !== viewerZone) && t('byUtcDay'),
  ]
    .filter(Boolean)
    .join('. ');
  const title = t('usageBy', { measure: t(`measures.${measure}`), by: t(`by.${by}`) });

  return (
    <PageFrame title={t('title')}>
      <FilterBar
        state={filters}
        filters={choices}
        onRefresh={() => {
          setNow(Date.now());
          void refetch();
        }}
      />
      <Box
        sx={{
          flex: 1,
          minHeight: 0,
          overflow: { md: 'auto' },
          display: 'flex',
          flexDirection: 'column',
          gap: 1.5,
          pb: 1,
          '& > *': { flex: 'none' },
        }}
        aria-busy={isFetching}
      >
        <StatStrip self={self} totals={data && totals} left={left} />
        {error !== undefined && <ErrorNotice error={error} onRetry={() => void refetch()} busy={isFetching} />}
        {error === undefined && (
          <>
            <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 2fr) minmax(0, 1fr)' } }}>
              <ChartCard
                title={title}
                about={about}
                labels={axis.labels}
                series={usage.series.map(({ key, label, values: each }, place) => ({ label, values: each, color: colorOf(place, key) }))}
                format={format}
                isWaiting={isWaiting}
              />
              <Card title={t('shares', { by: t(`by.${by}`), total: format(usage.total) })}>
                <Ranking series={usage.series} total={usage.total} format={format} logOf={logOf} />
              </Card>
            </Box>
            <ChartCard
              title={t('inputOutput')}
              about={about}
              labels={axis.labels}
              series={[
                { label: t('input'), values: flow.input, color: colorOf(2, 'input') },
                { label: t('output'), values: flow.output, color: colorOf(1, 'output') },
              ]}
              format={formatCount}
              isWaiting={isWaiting}
            />
          </>
        )}
      </Box>
    </PageFrame>
  );
}
