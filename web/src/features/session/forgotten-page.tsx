import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { useSendResetMutation } from './api.ts';
import { DoorPage } from './door-page.tsx';
import { Field } from './fields.tsx';
import { useCooldown } from './use-cooldown.ts';

/** Asks for a mail that leads to a new password. */
export function ForgottenPage() {
  const { t } = useTranslation('session');
  const [send, { isLoading, error, isSuccess }] = useSendResetMutation();
  const [email, setEmail] = useState('');
  const [missing, setMissing] = useState(false);
  const [left, begin] = useCooldown();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setMissing(email.trim() === '');
    if (email.trim() === '') return;
    if (!(await send(email.trim())).error) begin();
  };
  return (
    <DoorPage title={t('forgotten.title')} lead={t('forgotten.lead')}>
      {error && (
        <Alert severity="error" sx={{ mb: 2 }}>
          {messageOf(error)}
        </Alert>
      )}
      {isSuccess && (
        <Alert severity="success" sx={{ mb: 2 }}>
          {t('forgotten.sent')}
        </Alert>
      )}
      <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Field
          autoFocus
          label={t('register.email')}
          name="email"
          type="email"
          autoComplete="email"
          value={email}
          error={missing}
          hint={missing ? t('register.needed') : undefined}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button type="submit" variant="contained" size="large" disabled={left > 0} loading={isLoading} sx={{ minHeight: 42, fontSize: 14 }}>
          {left > 0 ? t('register.againIn', { seconds: left }) : t('forgotten.submit')}
        </Button>
      </Box>
      <Button component={Link} to="/login" sx={{ mt: 2 }}>
        {t('toLogin')}
      </Button>
    </DoorPage>
  );
}
