import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import type { SystemView } from '@tollgate/contracts/api/system';
import { useTranslation } from 'react-i18next';
import { Card } from '../../shared/ui/card.tsx';
import { ErrorNotice, RefreshFailed } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { useGetSystemQuery } from './api.ts';
import { DeadLettersCard } from './dead-letters-card.tsx';
import { MoneyPathCard } from './money-path-card.tsx';
import { PlainTable } from './plain-table.tsx';
import { SealingCard } from './sealing-card.tsx';
import { ServicesCard } from './services-card.tsx';

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
