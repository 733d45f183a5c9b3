import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../shared/format.ts';
import { MomentField } from '../../shared/range/moment-field.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCleanLogsMutation } from './api.ts';

/** Deletes what is older than a moment; a month ago at first. */
export function LogCleaning() {
  const { t } = useTranslation('settings');
  const [seconds, setSeconds] = useState<number | null>(aMonthAgo);
  const [clean, { isLoading }] = useCleanLogsMutation();
  const confirm = useConfirm();

  async function run(): Promise<void> {
    if (seconds === null || Number.isNaN(seconds)) return toast('error', t('logs.choose'));
    const question = {
      title: t('logs.confirm', { time: formatDateTime(seconds) }),
      text: t('logs.confirmText'),
      action: t('logs.clean'),
      dangerous: true,
    };
    if (!(await confirm(question))) return;
    try {
      toast('success', t('logs.done', { count: (await clean(seconds).unwrap()) ?? 0 }));
    } catch (error) {
      toast('error', messageOf(error));
    }
  }

  return (
    <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center' }}>
      <Box sx={{ width: 260 }}>
        <MomentField label={t('logs.label')} value={seconds} onChange={setSeconds} />
      </Box>
      <Button variant="outlined" color="error" loading={isLoading} onClick={() => void run()}>
        {t('logs.clean')}
      </Button>
    </Box>
  );
}

/** In unix seconds, to the minute, as the field shows it. */
function aMonthAgo(): number {
  const then = new Date();
  then.setMonth(then.getMonth() - 1);
  then.setSeconds(0, 0);
  return then.getTime() / 1000;
}
