import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { SystemView } from '@tollgate/contracts/api/system';
import { useTranslation } from 'react-i18next';
import { formatCount, formatDateTime } from '../../shared/format.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useResealMutation } from './api.ts';

type Sealing = SystemView['sealing'];

/** What the stored secrets are sealed with, and the way to have the newest key seal them all, so that older ones can go. */
export function SealingCard({ sealing }: { sealing: Sealing }) {
  const { t } = useTranslation('system');
  const confirm = useConfirm();
  const [reseal, { isLoading }] = useResealMutation();
  const older = sealing.other_key_ids;
  const isRunning = sealing.started_time > 0 && sealing.ended_time === 0;
  const askAndReseal = async (): Promise<void> => {
    if (!(await confirm({ title: t('sealing.title'), text: t('sealing.text'), action: t('sealing.reseal') }))) return;
    const { error } = await reseal();
    if (error) toast('error', messageOf(error));
    else toast('success', t('sealing.asked'));
  };
  const button = older.length > 0 && (
    <Button variant="outlined" onClick={askAndReseal} loading={isLoading || isRunning} loadingPosition="start">
      {t('sealing.reseal')}
    </Button>
  );
  return (
    <Card title={t('sealing.card')} lead={t('sealing.lead', { id: sealing.key_id })} aside={button}>
      {older.length === 0 && <Typography variant="body2">{t('sealing.onlyOne')}</Typography>}
      {older.length > 0 && <Typography variant="body2">{t('sealing.older', { count: older.length, ids: older.join(', ') })}</Typography>}
      {isRunning && <Progress sealing={sealing} />}
      {older.length > 0 && !isRunning && <Left sealing={sealing} />}
      {sealing.ended_time > 0 && (
        <Typography variant="body2" color="textSecondary">
          {t('sealing.last', {
            time: formatDateTime(sealing.ended_time),
            looked: formatCount(sealing.looked),
            changed: formatCount(sealing.changed),
          })}
        </Typography>
      )}
    </Card>
  );
}

function Progress({ sealing: { looked, total, changed } }: { sealing: Sealing }) {
  const { t } = useTranslation('system');
  const percent = total > 0 ? Math.min(100, (looked / total) * 100) : 0;
  return (
    <>
      <LinearProgress variant="determinate" value={percent} aria-label={t('sealing.card')} />
      <Typography variant="body2" sx={{ fontVariantNumeric: 'tabular-nums' }}>
        {t('sealing.progress', { looked: formatCount(looked), total: formatCount(total), changed: formatCount(changed) })}
      </Typography>
    </>
  );
}

/** What the older keys still hold: the answer to whether they can be taken away. */
function Left({ sealing }: { sealing: Sealing }) {
  const { t } = useTranslation('system');
  if (sealing.sealed_key_id !== sealing.key_id) return <Alert severity="info">{t('sealing.notYet')}</Alert>;
  if (sealing.unreadable > 0) return <Alert severity="warning">{t('sealing.unreadable', { rows: formatCount(sealing.unreadable) })}</Alert>;
  return <Alert severity="success">{t('sealing.nothingLeft')}</Alert>;
}
