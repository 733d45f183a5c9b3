import Alert from '@mui/material/Alert';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTurnstile } from '../../shared/ui/use-turnstile.tsx';
import { useCooldown } from '../../shared/use-cooldown.ts';
import { DoorForm, ToLogin } from './door-form.tsx';
import { DoorPage } from './door-page.tsx';
import { Field } from './fields.tsx';
import { useSendResetMutation } from './ways-api.ts';

/** Asks for a mail that leads to a new password. */
export function ForgottenPage() {
  const { t } = useTranslation(['door', 'session']);
  const [send, { isLoading, error, isSuccess }] = useSendResetMutation();
  const [email, setEmail] = useState('');
  const [missing, setMissing] = useState(false);
  const [left, begin] = useCooldown();
  const turnstile = useTurnstile();
  const submit = async (): Promise<void> => {
    setMissing(email.trim() === '');
    if (email.trim() === '') return;
    const query = await turnstile.take();
    if (query && !(await send({ email: email.trim(), query })).error) begin();
  };
  return (
    <DoorPage title={t('forgotten.title')} lead={t('forgotten.lead')}>
      <DoorForm
        error={error}
        notice={
          isSuccess && (
            <Alert severity="success" sx={{ mb: 2 }}>
              {t('forgotten.sent')}
            </Alert>
          )
        }
        action={left > 0 ? t('register.againIn', { seconds: left }) : t('forgotten.submit')}
        disabled={left > 0}
        isLoading={isLoading}
        onSubmit={submit}
      >
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
        {turnstile.widget}
      </DoorForm>
      <ToLogin />
    </DoorPage>
  );
}
