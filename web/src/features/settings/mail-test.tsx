import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { useTranslation } from 'react-i18next';
import { useKept } from '../../shared/form/use-kept.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useTestMailMutation } from './api.ts';

/** A mail by the stored settings; what the mail server says against it is shown. */
export function MailTest() {
  const { t } = useTranslation('settings');
  const [email, setEmail] = useKept('mail-test', '');
  const [send, { isLoading }] = useTestMailMutation();

  async function run(): Promise<void> {
    try {
      await send(email).unwrap();
      toast('success', t('mail.sent', { email }));
    } catch (error) {
      toast('error', messageOf(error));
    }
  }

  return (
    <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'flex-start' }}>
      <TextField
        label={t('mail.label')}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        helperText={t('mail.saveFirst')}
        sx={{ maxWidth: 320 }}
      />
      <Button variant="outlined" color="inherit" sx={{ mt: 0.25 }} loading={isLoading} disabled={email === ''} onClick={() => void run()}>
        {t('mail.send')}
      </Button>
    </Box>
  );
}
