import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { SystemView } from '@tollgate/contracts/api/system';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDateTime } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useReplayMutation } from './api.ts';
import { PlainTable } from './plain-table.tsx';

/** Billing looks every 5 s. */
const staleAfter = 30;

/** Events that nobody could read, and the way to have them read again. */
export function DeadLettersCard({ letters, now }: { letters: SystemView['dead_letters']; now: number }) {
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
