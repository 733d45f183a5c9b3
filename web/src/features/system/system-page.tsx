import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import { useTranslation } from 'react-i18next';
import { ErrorNotice, RefreshFailed } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { useGetSystemQuery } from './api.ts';
import { DeadLettersCard } from './dead-letters-card.tsx';
import { EnginesCard } from './engines-card.tsx';
import { MoneyPathCard } from './money-path-card.tsx';
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
