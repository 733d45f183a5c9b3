import EditOutlined from '@mui/icons-material/EditOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import type { AttemptStats, ChannelStatsAnswer, StatsStep } from '@tollgate/contracts/api/channel-stats';
import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import type { LogView } from '@tollgate/contracts/api/log';
import { callersFailures } from '@tollgate/contracts/constants';
import { limitNames } from '@tollgate/contracts/limit-names';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { limitLabels } from '../../shared/form/limits-in.ts';
import { formatChannelBalance, formatCount, formatDateTime, formatFigure } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { PlainTable } from '../../shared/ui/plain-table.tsx';
import { useGetChannelStatsQuery, useGetHealthChannelQuery, useListFailuresQuery } from './health-api.ts';
import { errorRate, formatMs, Spark } from './health-cells.tsx';
import { KeysCard } from './keys-card.tsx';
import { TestHistory } from './test-history.tsx';

const spans = {
  '6h': { seconds: 6 * 3600, step: 'minute' },
  '24h': { seconds: 86_400, step: 'hour' },
  '7d': { seconds: 7 * 86_400, step: 'hour' },
  '30d': { seconds: 30 * 86_400, step: 'hour' },
  '1y': { seconds: 365 * 86_400, step: 'day' },
} as const satisfies Record<string, { seconds: number; step: StatsStep }>;
type Span = keyof typeof spans;
const spanNames = Object.keys(spans) as Span[];
const chartHeight = 96;

/** How one channel does: its attempts over time and by model, what failed, its account and its tests. */
export function HealthPage() {
  const { t } = useTranslation('channels');
  const id = Number(useParams().id) || 0;
  const [span, setSpan] = useState<Span>('24h');
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const { seconds, step } = spans[span];
  const stats = useGetChannelStatsQuery({ id, step, start: now - seconds });
  const { data: channel } = useGetHealthChannelQuery(id);
  const { data: failures } = useListFailuresQuery(id);
  const choice = (
    <ToggleButtonGroup
      size="small"
      exclusive
      value={span}
      aria-label={t('health.span')}
      onChange={(_event, next: Span | null) => next && setSpan(next)}
    >
      {spanNames.map((name) => (
        <ToggleButton key={name} value={name} sx={{ py: 0, px: 1, minHeight: 28, textTransform: 'none', fontSize: 12.5 }}>
          {t(`health.spans.${name}`)}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
  return (
    <PageFrame
      title={channel === undefined ? t('health.title') : `${channel.id} - ${channel.name}`}
      action={
        <>
          <Button component={Link} to={`/log?channel=${id}`} color="inherit">
            {t('health.logs')}
          </Button>
          <Button component={Link} to={`/channel/edit/${id}`} variant="outlined" startIcon={<EditOutlined />}>
            {t('health.edit')}
          </Button>
        </>
      }
    >
      {stats.error ? (
        <ErrorNotice error={stats.error} onRetry={stats.refetch} busy={stats.isFetching} />
      ) : (
        <Box
          sx={{
            display: 'grid',
            gap: 1.5,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
            alignItems: 'start',
            pb: 1.5,
          }}
        >
          <Box sx={{ gridColumn: '1 / -1' }}>
            <Card title={t('health.overview')} aside={choice}>
              {stats.data && <Overview answer={stats.data} step={step} from={now - seconds} to={now} />}
            </Card>
          </Box>
          {channel && (
            <Box sx={{ gridColumn: '1 / -1' }}>
              <KeysCard channel={channel} />
            </Box>
          )}
          {stats.data && <Models models={stats.data.models} />}
          {stats.data && <Kinds total={stats.data.total} />}
          <LastFailures id={id} failures={failures?.items} />
          {channel && <Account channel={channel} />}
        </Box>
      )}
    </PageFrame>
  );
}

interface OverviewProps {
  answer: ChannelStatsAnswer;
  step: StatsStep;
  /** Unix seconds. */
  from: number;
  to: number;
}

function Overview({ answer: { total, steps: known }, step, from, to }: OverviewProps) {
  const { t } = useTranslation('channels');
  const steps = everyStep(known, { from, to, seconds: secondsOf[step] });
  if (total.attempts === 0) return <Typography variant="body2">{t('health.none')}</Typography>;
  const figures: [string, ReactNode, string?][] = [
    [t('health.attempts'), formatCount(total.attempts)],
    [t('health.errorRate'), errorRate(total), t('health.errorCount', { errors: formatCount(total.errors) })],
    [t('health.failovers'), formatCount(total.failovers)],
    [t('health.duration'), quantilesOf(total.duration), t('health.quantilesNote')],
    [t('health.firstToken'), quantilesOf(total.first_token), t('health.quantilesNote')],
    [t('health.speed'), total.tokens_per_second === null ? '—' : formatFigure(total.tokens_per_second, 3)],
  ];
  return (
    <>
      <Box component="dl" sx={{ m: 0, display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fit, minmax(136px, 1fr))' }}>
        {figures.map(([name, value, note]) => (
          <div key={name}>
            <Box component="dt" sx={{ fontSize: 12, color: 'text.secondary' }}>
              {name}
            </Box>
            <Box component="dd" sx={{ m: 0, fontSize: 16, fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
              {value}
              {note && <Box sx={{ fontSize: 12, fontWeight: 400, color: 'text.secondary' }}>{note}</Box>}
            </Box>
          </div>
        ))}
      </Box>
      <Box>
        <Typography variant="caption" color="textSecondary">
          {t('health.byStep', { step: t(`health.step.${step}`) })}
        </Typography>
        <Spark steps={steps} width={100} height={chartHeight} isLabelled />
        <Box sx={{ display: 'flex', justifyContent: 'space-between', fontSize: 12, color: 'text.secondary' }}>
          {[steps[0], steps.at(-1)].map((each, place) => (
            <span key={place === 0 ? 'first' : 'last'}>{each && formatDateTime(each.created_at).slice(0, 16)}</span>
          ))}
        </Box>
      </Box>
    </>
  );
}

const secondsOf = { minute: 60, hour: 3600, day: 86_400 } as const;

/** The steps of a span, those without attempts among them. */
function everyStep(known: ChannelStatsAnswer['steps'], { from, to, seconds }: { from: number; to: number; seconds: number }) {
  const byTime = new Map(known.map((each) => [each.created_at, each]));
  const first = Math.floor(from / seconds) * seconds;
  return Array.from({ length: Math.floor((to - first) / seconds) + 1 }, (_, place) => {
    const at = first + place * seconds;
    return byTime.get(at) ?? { created_at: at, attempts: 0, errors: 0 };
  });
}

function quantilesOf(quantiles: AttemptStats['duration']): string {
  return quantiles === null ? '—' : [quantiles.p50, quantiles.p95, quantiles.p99].map(formatMs).join(' / ');
}

function Models({ models }: { models: ChannelStatsAnswer['models'] }) {
  const { t } = useTranslation('channels');
  if (models.length === 0) return null;
  return (
    <Card title={t('health.byModel')}>
      <PlainTable
        label={t('health.byModel')}
        heads={[
          t('health.model'),
          t('health.attempts'),
          t('health.errorRate'),
          t('health.p95'),
          t('health.firstTokenP95'),
          t('health.speed'),
        ]}
        rows={models.map((each) => ({
          key: each.model,
          cells: [
            each.model || '—',
            formatCount(each.attempts),
            errorRate(each),
            formatMs(each.duration?.p95),
            formatMs(each.first_token?.p95),
            each.tokens_per_second === null ? '—' : formatFigure(each.tokens_per_second, 3),
          ],
        }))}
      />
    </Card>
  );
}

function Kinds({ total: { failures } }: { total: AttemptStats }) {
  const { t } = useTranslation('channels');
  const kinds = Object.entries(failures).sort(([, a], [, b]) => b - a);
  if (kinds.length === 0) return null;
  return (
    <Card title={t('health.byKind')}>
      <PlainTable
        label={t('health.byKind')}
        heads={[t('health.kind'), t('health.count')]}
        rows={kinds.map(([kind, count]) => ({
          key: kind,
          cells: [callersFailures.includes(kind) ? `${kind} (${t('health.callers')})` : kind, formatCount(count)],
        }))}
      />
    </Card>
  );
}

function LastFailures({ id, failures }: { id: number; failures: LogView[] | undefined }) {
  const { t } = useTranslation('channels');
  const all = (
    <Button component={Link} to={`/log?channel=${id}&type=5&range=all`} size="small">
      {t('health.failed')}
    </Button>
  );
  return (
    <Card title={t('health.lastFailures')} aside={all}>
      {failures?.length === 0 && <Typography variant="body2">{t('health.noFailures')}</Typography>}
      {failures?.map(({ id: key, request_id: request, created_at: at, model_name: model, content }) => (
        <Box key={key} sx={{ fontSize: 12.5 }}>
          <Link to={`/log?request=${request}`} className="link-button strong">
            {formatDateTime(at)}
          </Link>{' '}
          {model}{' '}
          <Box component="span" sx={{ color: 'text.secondary' }}>
            {content}
          </Box>
        </Box>
      ))}
    </Card>
  );
}

function Account({ channel }: { channel: ChannelView }) {
  const { t } = useTranslation(['channels', 'shared']);
  const limits = limitNames
    .filter((name) => channel[name] > 0)
    .map((name) => `${t(`shared:${limitLabels[name]}`)} ${formatCount(channel[name])}`);
  const isAsked = channel.balance_updated_time > 0;
  return (
    <Card title={t('health.account')}>
      <Box
        component="dl"
        sx={{ m: 0, display: 'grid', gridTemplateColumns: 'auto 1fr', columnGap: 2, rowGap: 0.5, fontSize: 13, '& dd': { m: 0 } }}
      >
        <dt>{t('health.balance')}</dt>
        <dd>{isAsked ? formatChannelBalance(channel.balance) : '—'}</dd>
        <dt>{t('health.limits')}</dt>
        <dd>{limits.join(', ') || t('health.noLimits')}</dd>
      </Box>
      {channel.test_time > 0 ? (
        <TestHistory channelId={channel.id} testedAt={channel.test_time} />
      ) : (
        <Typography variant="body2">{t('health.noTests')}</Typography>
      )}
    </Card>
  );
}
