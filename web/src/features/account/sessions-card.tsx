import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import { useTranslation } from 'react-i18next';
import { Card } from '../../shared/ui/card.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useEndOtherSessionsMutation, useEndSessionMutation, useListSessionsQuery } from './api.ts';
import { browserName } from './browser-name.ts';
import { Line } from './line.tsx';

/** Where one is signed in. */
export function SessionsCard() {
  const { t } = useTranslation('account');
  const { data: sessions = [] } = useListSessionsQuery(undefined, { refetchOnMountOrArgChange: true });
  const [end] = useEndSessionMutation();
  const [endOthers, { isLoading }] = useEndOtherSessionsMutation();
  const tell = ({ error }: { error?: unknown }): void => {
    if (error) toast('error', messageOf(error));
    else toast('success', t('sessions.ended'));
  };
  return (
    <Card title={t('sessions.title')}>
      {sessions.map(({ id, agent, address, opened_time, seen_time, current }) => (
        <Line
          key={id}
          label={
            <>
              {browserName(agent) || t('sessions.unknown')}{' '}
              {current && <Chip size="small" color="primary" variant="outlined" label={t('sessions.current')} />}
            </>
          }
          value={
            <>
              {address} · {t('sessions.since')} <TimeText seconds={opened_time} /> · {t('sessions.seen')} <TimeText seconds={seen_time} />
            </>
          }
          action={
            !current && (
              <Button
                color="inherit"
                onClick={async () => tell(await end(id))}
                aria-label={`${t('sessions.end')}: ${browserName(agent)} ${address}`}
              >
                {t('sessions.end')}
              </Button>
            )
          }
        />
      ))}
      {sessions.length > 1 && (
        <div>
          <Button variant="outlined" onClick={async () => tell(await endOthers())} loading={isLoading}>
            {t('sessions.endOthers')}
          </Button>
        </div>
      )}
    </Card>
  );
}
