import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { SystemView } from '@tollgate/contracts/api/system';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDateTime, formatSeconds } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { ErrorNotice, messageOf, RefreshFailed } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { PlainTable } from '../../shared/ui/plain-table.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useGetSystemQuery, useReplayMutation } from './api.ts';
import { SealingCard } from './sealing-card.tsx';

/** Billing looks every 5 s. */
const staleAfter = 30;

/** Events that nobody could read, and the way to have them read again. */
function DeadLettersCard({ letters, now }: { letters: SystemView['dead_letters']; now: number }) {
  const { t } = useTranslation('system');
  const confirm = useConfirm();
  const [replay, { isLoading }] = useReplayMutation();
  const waiting = Object.entries(letters.waiting).filter(([, count]) => count > 0);
  const askAndReplay = async (): Promise<void> => {
    if (!(await confirm({ title: t('replayTitle'), text: t('replayText'), action: t('replay') }))) return;
    const { error } = await replay();
    if (error) toast('error', messageOf(error));
    else toast('success', t('replayAsked'));
  };
  const button = (
    <Button variant="outlined" onClick={askAndReplay} loading={isLoading} disabled={waiting.length === 0 || letters.replay_wanted}>
      {t('replay')}
    </Button>
  );
  return (
    <Card title={t('deadLetters')} lead={t('deadLettersLead')} aside={button}>
      {waiting.length > 0 ? (
        <PlainTable
          label={t('deadLetters')}
          heads={[t('columns.topic'), t('columns.waiting')]}
          rows={waiting.map(([topic, count]) => ({ key: topic, cells: [topic, formatCount(count)] }))}
        />
      ) : (
        <Typography variant="body2">{letters.looked_time > 0 ? t('noDeadLetters') : t('neverLooked')}</Typography>
      )}
      {letters.replay_wanted && <Alert severity="info">{t('replayWanted')}</Alert>}
      {letters.looked_time > 0 && now - letters.looked_time > staleAfter && (
        <Alert severity="warning">{t('lookedLongAgo', { time: formatDateTime(letters.looked_time) })}</Alert>
      )}
      {letters.replay_time > 0 && (
        <Typography variant="body2" color="textSecondary">
          {t('lastReplay', { time: formatDateTime(letters.replay_time), count: letters.replayed, kept: letters.kept })}
        </Typography>
      )}
    </Card>
  );
}

/** Each tells of itself every 5 s. */
const silentAfter = 15;
/** Without one of each, calls are refused, charged late, or nobody can manage anything. */
const needed = ['relay', 'billing', 'console'] as const;

/** Every process that was there within the last minute, and what is missing. */
function ServicesCard({ processes, now }: Pick<SystemView, 'processes' | 'now'>) {
  const { t } = useTranslation('system');
  const missing = needed.filter((service) => !processes.some((each) => each.service === service));
  const proxies = [...new Set(processes.map((each) => each.untrusted_proxy).filter((peer) => peer !== ''))];
  const rows = processes.map(({ service, process, started_time: started, seen_time: seen }) => ({
    key: `${service} ${process}`,
    cells: [
      service,
      process,
      now - seen > silentAfter ? (
        <StatusTag key="silent" tone="warning" label={t('silent', { time: formatSeconds(now - seen) })} />
      ) : (
        <StatusTag key="there" tone="success" label={t('there')} />
      ),
      <TimeText key="since" seconds={started} />,
    ],
  }));
  const absent = missing.map((service) => ({
    key: service,
    cells: [service, '—', <StatusTag key="none" tone="error" label={t('missing')} />, '—'],
  }));
  return (
    <Card title={t('services')} lead={t('servicesLead')}>
      {proxies.length > 0 && <Alert severity="warning">{t('untrustedProxy', { peers: proxies.join(', ') })}</Alert>}
      <PlainTable
        label={t('services')}
        heads={[t('columns.service'), t('columns.process'), t('columns.state'), t('columns.since')]}
        rows={[...rows, ...absent]}
      />
    </Card>
  );
}

const everyMs = 5000;
/** As many as there will be, in a narrow window. */
const cards = ['money', 'engines', 'services', 'letters', 'secrets'];

/** Whether all of it is there, and whether every call that was answered gets charged. */
export function SystemPage() {
  const { t } = useTranslation('system');
  const { data, error, refetch, isFetching } = useGetSystemQuery(undefined, { pollingInterval: everyMs, skipPollingIfUnfocused: true });
  return (
    <PageFrame title={t('title')}>
      {error && data && <RefreshFailed error={error} onRetry={refetch} />}
      {error && !data && <ErrorNotice error={error} onRetry={refetch} busy={isFetching} />}
      {!data && !error && cards.map((card) => <Skeleton key={card} variant="rounded" height={150} sx={{ flex: 'none', mb: 1.5 }} />)}
      {data && (
        <Box
          sx={{
            display: 'grid',
            gap: 1.5,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
            alignItems: 'start',
            pb: 1.5,
          }}
        >
          <MoneyPathCard system={data} />
          <EnginesCard engines={data.engines} />
          <ServicesCard now={data.now} processes={data.processes} />
          <DeadLettersCard letters={data.dead_letters} now={data.now} />
          <SealingCard sealing={data.sealing} />
        </Box>
      )}
    </PageFrame>
  );
}

type Engines = SystemView['engines'];

/** What the services stand on. */
function EnginesCard({ engines }: Pick<SystemView, 'engines'>) {
  const { t } = useTranslation('system');
  const names = Object.keys(engines) as (keyof Engines)[];
  const rows = names.map((name) => ({
    key: name,
    cells: [
      t(`engineNames.${name}`),
      engines[name] < 0 ? (
        <StatusTag key="down" tone="error" label={t(name === 'bus' ? 'busUnknown' : 'down')} />
      ) : (
        <StatusTag key="up" tone="success" label={t('up')} />
      ),
      engines[name] > 0 ? `${engines[name]} ms` : '—',
    ],
  }));
  return (
    <Card title={t('engines')}>
      <PlainTable label={t('engines')} heads={[t('columns.engine'), t('columns.state'), t('columns.roundTrip')]} rows={rows} />
    </Card>
  );
}

/** Where the calls are between their first byte and their charge. */
function MoneyPathCard({ system }: { system: SystemView }) {
  const { t } = useTranslation('system');
  const dead = Object.values(system.dead_letters.waiting).reduce((sum, count) => sum + count, 0);
  return (
    <Card title={t('moneyPath')} lead={t('moneyPathLead')}>
      <Box component="dl" sx={{ m: 0, display: 'grid', gap: 1.5, gridTemplateColumns: 'repeat(auto-fit, minmax(104px, 1fr))' }}>
        <Figure name={t('openCalls')} note={t('openCallsNote')}>
          {formatCount(system.open_calls)}
        </Figure>
        <Figure name={t('notBilled')} note={t('notBilledNote')}>
          {formatCount(system.answered_not_billed)}
        </Figure>
        <Figure name={t('lag')} note={t('lagNote')}>
          {system.lag < 0 ? t('unknown') : formatCount(system.lag)}
        </Figure>
        <Figure name={t('deadLetters')} note={t('deadLettersNote')} isBad={dead > 0}>
          {formatCount(dead)}
        </Figure>
      </Box>
    </Card>
  );
}

function Figure({ name, note, isBad = false, children }: { name: string; note: string; isBad?: boolean; children: ReactNode }) {
  return (
    <div>
      <Box component="dt" sx={{ fontSize: 12, color: 'text.secondary' }}>
        {name}
      </Box>
      <Box
        component="dd"
        sx={{ m: 0, fontSize: 18, fontWeight: 600, fontVariantNumeric: 'tabular-nums', color: isBad ? 'error.main' : undefined }}
      >
        {children}
        <Box sx={{ fontSize: 12, fontWeight: 400, color: 'text.secondary' }}>{note}</Box>
      </Box>
    </div>
  );
}
