import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { remember, remembered } from '../../shared/preferences.ts';
import { useSessionUser } from '../../shared/session.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useTurnstile } from '../../shared/ui/use-turnstile.tsx';
import { useCooldown } from '../../shared/use-cooldown.ts';
import { useComeIn } from './come-in.ts';
import { DoorForm, ToLogin } from './door-form.tsx';
import { DoorPage } from './door-page.tsx';
import { Field, PasswordField } from './fields.tsx';
import { inviterKey } from './inviter.ts';
import { useRegisterMutation, useSendVerificationMutation } from './ways-api.ts';

const SecondStepPage = lazyPart(async () => (await import('./second-step-page.tsx')).SecondStepPage);
const OtherWays = lazyPart(async () => (await import('./other-ways.tsx')).OtherWays);
const nothing = { username: '', password: '', password2: '', email: '', verification_code: '' };

export function RegisterPage() {
  const { t } = useTranslation(['door', 'session']);
  const navigate = useNavigate();
  const inviter = useSearchParams()[0].get('aff');
  const { data: status } = useGetStatusQuery();
  const [register, { isLoading, error }] = useRegisterMutation();
  const [values, setValues] = useState(nothing);
  const [tried, setTried] = useState(false);
  const user = useSessionUser();
  const { needsSecondStep, completeOauth, begin } = useComeIn();
  const turnstile = useTurnstile();
  useEffect(() => {
    if (inviter) remember(inviterKey, inviter);
  }, [inviter]);

  const set = (change: Partial<typeof nothing>): void => setValues((before) => ({ ...before, ...change }));
  const wrong = wrongIn(values, status?.email_verification === true);
  const hint = (field: keyof typeof nothing) => (tried && wrong[field] ? t(wrong[field]) : undefined);

  const submit = async (): Promise<void> => {
    setTried(true);
    if (Object.keys(wrong).length > 0) return;
    const { username, email, ...rest } = values;
    const query = await turnstile.take();
    if (!query) return;
    const body = { ...rest, username: username.trim(), email: email.trim(), aff_code: remembered(inviterKey) ?? '' };
    const answer = await register({ body, query });
    if (answer.error) return;
    remember(inviterKey, undefined);
    toast('success', t('register.done'));
    navigate('/login');
  };

  // By one of the other ways, in this window or in another one.
  if (user) return <Navigate to="/token" replace />;
  if (needsSecondStep) return <SecondStepPage onDone={completeOauth} onBack={begin} />;
  if (status?.register_enabled === false)
    return (
      <DoorPage title={t('register.title')} lead="">
        <Alert severity="info">{t('register.closed')}</Alert>
        <ToLogin />
      </DoorPage>
    );
  return (
    <DoorPage title={t('register.title')} lead={t('register.lead')}>
      <DoorForm error={error} action={t('register.submit')} isLoading={isLoading} onSubmit={submit}>
        <Field
          autoFocus
          label={t('register.username')}
          name="username"
          autoComplete="username"
          value={values.username}
          error={hint('username') !== undefined}
          hint={hint('username')}
          onChange={(event) => set({ username: event.target.value })}
          inputProps={{ autoCapitalize: 'none', spellCheck: false }}
        />
        <PasswordField
          label={t('session:password')}
          autoComplete="new-password"
          value={values.password}
          error={hint('password') !== undefined}
          hint={hint('password') ?? t('factory.rule')}
          onChange={(password) => set({ password })}
        />
        <PasswordField
          label={t('register.again')}
          autoComplete="new-password"
          value={values.password2}
          error={hint('password2') !== undefined}
          hint={hint('password2')}
          onChange={(password2) => set({ password2 })}
        />
        {status?.email_verification && (
          <VerificationFields
            email={values.email}
            code={values.verification_code}
            emailHint={hint('email')}
            codeHint={hint('verification_code')}
            takeTurnstile={turnstile.take}
            onChange={set}
          />
        )}
        {turnstile.widget}
      </DoorForm>
      <ToLogin />
      {status && <OtherWays status={status} isNew onDone={completeOauth} />}
    </DoorPage>
  );
}

type Fault =
  | 'register.needed'
  | 'register.longName'
  | 'register.oddName'
  | 'register.shortPassword'
  | 'register.longPassword'
  | 'register.differ';

/** What is wrong with each field, as a key of its text; the server checks the same by its contract. */
function wrongIn({ username, password, password2, email, verification_code }: typeof nothing, isVerified: boolean) {
  const wrong: Partial<Record<keyof typeof nothing, Fault>> = {};
  const name = username.trim();
  if (name === '') wrong.username = 'register.needed';
  else if (name.length > 12) wrong.username = 'register.longName';
  else if (/[\s@]/.test(name)) wrong.username = 'register.oddName';
  if (password.length < 8) wrong.password = 'register.shortPassword';
  else if (password.length > 20) wrong.password = 'register.longPassword';
  if (password2 !== password) wrong.password2 = 'register.differ';
  if (isVerified && email.trim() === '') wrong.email = 'register.needed';
  if (isVerified && verification_code.trim() === '') wrong.verification_code = 'register.needed';
  return wrong;
}

/** An e-mail address, and the code that is mailed to it. */
function VerificationFields({
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
