import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { useCooldown } from '../../shared/use-cooldown.ts';
import { Field } from './fields.tsx';
import { useSendVerificationMutation } from './ways-api.ts';

/** An e-mail address, and the code that is mailed to it. */
export function VerificationFields({
  email,
  code,
  emailHint,
  codeHint,
  takeTurnstile,
  onChange,
}: {
  email: string;
  code: string;
  emailHint: string | undefined;
  codeHint: string | undefined;
  /** Undefined while the challenge is not solved yet. */
  takeTurnstile: () => Promise<{ turnstile?: string } | undefined>;
  onChange: (change: { email?: string; verification_code?: string }) => void;
}) {
  const { t } = useTranslation(['door', 'session']);
  const [send, { isLoading, error, isSuccess }] = useSendVerificationMutation();
  const [left, begin] = useCooldown();
  const ask = async (): Promise<void> => {
    const query = await takeTurnstile();
    if (query && !(await send({ email: email.trim(), query })).error) begin();
  };
  return (
    <>
      <Field
        label={t('register.email')}
        name="email"
        type="email"
        autoComplete="email"
        value={email}
        error={emailHint !== undefined}
        hint={emailHint}
        onChange={(event) => onChange({ email: event.target.value })}
      />
      <Button variant="outlined" onClick={ask} disabled={left > 0 || email.trim() === ''} loading={isLoading}>
        {left > 0 ? t('register.againIn', { seconds: left }) : t('register.sendCode')}
      </Button>
      {error && <Alert severity="error">{messageOf(error)}</Alert>}
      {isSuccess && !error && <Alert severity="success">{t('register.codeSent')}</Alert>}
      <Field
        label={t('register.code')}
        name="verification_code"
        autoComplete="one-time-code"
        value={code}
        error={codeHint !== undefined}
        hint={codeHint}
        onChange={(event) => onChange({ verification_code: event.target.value })}
        inputProps={{ inputMode: 'numeric' }}
      />
    </>
  );
}
