import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../shared/format.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCleanLogsMutation } from './api.ts';

/** Deletes what is older than a moment; a month ago at first. */
export function LogCleaning() {
  const { t } = useTranslation('settings');
  const [moment, setMoment] = useState(aMonthAgo);
  const [clean, { isLoading }] = useCleanLogsMutation();
  const confirm = useConfirm();

  async function run(): Promise<void> {
    const seconds = Math.floor(new Date(moment).getTime() / 1000);
    if (!Number.isFinite(seconds)) return toast('error', t('logs.choose'));
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
      <TextField
        type="datetime-local"
        label={t('logs.label')}
        value={moment}
        onChange={(event) => setMoment(event.target.value)}
        sx={{ maxWidth: 260 }}
        slotProps={{ inputLabel: { shrink: true } }}
      />
      <Button variant="outlined" color="error" loading={isLoading} onClick={() => void run()}>
        {t('logs.clean')}
      </Button>
    </Box>
  );
}

/** As the field has it: local time, to the minute. */
function aMonthAgo(): string {
  const then = new Date();
  then.setMonth(then.getMonth() - 1);
  return new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
