import DescriptionOutlined from '@mui/icons-material/DescriptionOutlined';
import PodcastsRounded from '@mui/icons-material/PodcastsRounded';
import Button from '@mui/material/Button';
import Tooltip from '@mui/material/Tooltip';
import type { LogView } from '@tollgate/contracts/api/log';
import { logType, role } from '@tollgate/contracts/constants';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../shared/call.ts';
import { formatDateTime } from '../../shared/format.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { type ChosenRange, RangePanel as Panel } from '../../shared/range/range-panel.tsx';
import { useHasRole } from '../../shared/session.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import type { Filter } from '../../shared/ui/filter-chip.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { type UrlFilters, usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListLogsQuery } from './api.ts';
import { LogDetail } from './log-detail.tsx';
import { StatLine } from './stat-line.tsx';
import { defaultRange, rangeNames, timeRangeOf, unreadableFilters } from './time-range.ts';
import { useLogColumns } from './use-log-columns.tsx';

const filterNames = ['range', 'from', 'to', 'type', 'model', 'token', 'group', 'channel', 'user', 'request'] as const;
/** While one follows the log, in a tab that is looked at. */
const followEveryMs = 3000;
type FilterName = (typeof filterNames)[number];

export function LogsPage() {
  const { t } = useTranslation(['logs', 'shared']);
  const isAdmin = useHasRole(role.admin);
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const { values } = filters;
  // A range that ends now is worked out anew when someone refreshes, not with every render.
  const [asOf, setAsOf] = useState(() => Date.now());
  const scope = useMemo(() => {
    const { start, end } = timeRangeOf(values, asOf);
    return {
      everybody: isAdmin,
      filters: {
        type: Number(values.type) || 0,
        username: values.user,
        token_name: values.token,
        model_name: values.model,
        channel: Number(values.channel) || 0,
        group: values.group,
        start_timestamp: start,
        end_timestamp: end,
        request_id: values.request,
      },
    };
  }, [values, asOf, isAdmin]);
  const unreadable = unreadableFilters(values);
  const skip = unreadable.length > 0;
  const [isFollowed, setFollowed] = useState(false);
  const mayFollow = page === 1 && values.to === '';
  const live = { pollingInterval: isFollowed && mayFollow ? followEveryMs : 0, skipPollingIfUnfocused: true };
  const list = useList(useListLogsQuery({ ...scope, p: page, page_size: pageSize }, { skip, ...live }));
  const columns = useLogColumns(isAdmin);
  const detail = useCallback((log: LogView) => <LogDetail log={log} isAdmin={isAdmin} />, [isAdmin]);
  const refresh = (): void => {
    setAsOf(Date.now());
    if (!skip) list.refresh();
  };

  return (
    <PageFrame title={t('title')} aside={!skip && <StatLine scope={scope} live={live} />}>
      <FilterBar state={filters} filters={useLogFilters(filters, isAdmin)} onRefresh={refresh}>
        <Tooltip title={t(mayFollow ? 'followHint' : 'followFirstPage')}>
          <span>
            <Button
              color={isFollowed ? 'primary' : 'inherit'}
              aria-pressed={isFollowed && mayFollow}
              disabled={!mayFollow}
              startIcon={<PodcastsRounded />}
              onClick={() => setFollowed(!isFollowed)}
            >
              {t('follow')}
            </Button>
          </span>
        </Tooltip>
      </FilterBar>
      {skip ? (
        <EmptyState
          title={t('unreadable')}
          text={unreadable.join(', ')}
          action={
            <Button variant="outlined" onClick={filters.clear}>
              {t('shared:filter.clear')}
            </Button>
          }
        />
      ) : (
        <ResourceTable
          name={isAdmin ? 'logs-all' : 'logs'}
          label={t('title')}
          columns={columns}
          list={{ ...list, refresh }}
          whole={(format) => call(isAdmin ? 'GET /api/log/export' : 'GET /api/log/self/export', { query: { ...scope.filters, format } })}
          page={page}
          onPage={setPage}
          detail={detail}
          empty={<EmptyState icon={<DescriptionOutlined />} title={t('none')} text={filters.anySet ? t('noneFoundText') : t('noneText')} />}
        />
      )}
    </PageFrame>
  );
}

function useLogFilters(filters: UrlFilters<FilterName>, isAdmin: boolean): Filter<FilterName>[] {
  const { t } = useTranslation('logs');
  const { range, from, to } = filters.values;
  const name = rangeNames.find((known) => known === range) ?? defaultRange;
  const moments = [from, to].map((text) => (Number(text) > 0 ? formatDateTime(Number(text)).slice(0, 16) : text || '…'));
  const forAll: Filter<FilterName>[] = [
    {
      name: 'range',
      label: t('filters.time'),
      kind: 'custom',
      shown: from !== '' || to !== '' ? moments.join(' – ') : t(`ranges.${name}`),
      clears: ['range', 'from', 'to'],
      panel: (close) => (
        <RangePanel
          current={{ range: from === '' && to === '' ? name : '', from, to }}
          onApply={(next) => {
            close();
            filters.set(next);
          }}
        />
      ),
    },
    {
      name: 'type',
      label: t('columns.type'),
      kind: 'select',
      options: [
        { value: '', label: t('types.all') },
        { value: String(logType.topUp), label: t('types.topUp') },
        { value: String(logType.consume), label: t('types.consume') },
        { value: String(logType.error), label: t('types.error') },
        { value: String(logType.manage), label: t('types.manage') },
        { value: String(logType.system), label: t('types.system') },
      ],
    },
    { name: 'model', label: t('columns.model'), kind: 'text' },
    { name: 'token', label: t('columns.token'), kind: 'text' },
    { name: 'group', label: t('columns.group'), kind: 'text' },
    { name: 'request', label: t('filters.request'), kind: 'text' },
  ];
  const forAdmins: Filter<FilterName>[] = [
    { name: 'user', label: t('columns.user'), kind: 'text' },
    { name: 'channel', label: t('filters.channel'), kind: 'text', numeric: true },
  ];
  return isAdmin ? [...forAll, ...forAdmins] : forAll;
}

/** Chooses a time range of the log: one that ends now, or two moments. */
function RangePanel({ current, onApply }: { current: ChosenRange; onApply: (range: ChosenRange) => void }) {
  const { t } = useTranslation('logs');
  return (
    <Panel
      names={rangeNames}
      labelOf={(name) => t(`ranges.${name}`)}
      current={current}
      // Today is what the list shows without being asked.
      onApply={(chosen) => onApply({ ...chosen, range: chosen.range === 'today' ? '' : chosen.range })}
    />
  );
}
