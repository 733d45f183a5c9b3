import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useSearchParams } from 'react-router';
import { useSessionUser } from '../../shared/session.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { useTurnstile } from '../../shared/ui/use-turnstile.tsx';
import { useLoginMutation } from './api.ts';
import { useComeIn } from './come-in.ts';
import { DoorForm } from './door-form.tsx';
import { DoorPage } from './door-page.tsx';
import { Field, PasswordField } from './fields.tsx';

const SecondStepPage = lazyPart(async () => (await import('./second-step-page.tsx')).SecondStepPage);
const OtherWays = lazyPart(async () => (await import('./other-ways.tsx')).OtherWays);

export function LoginPage() {
  const { t } = useTranslation('session');
  const [params] = useSearchParams();
  const user = useSessionUser();
  const { data: status } = useGetStatusQuery();
  const [login, { isLoading, error }] = useLoginMutation();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const { needsSecondStep, completeOauth, begin } = useComeIn();
  const turnstile = useTurnstile();
  const [missing, setMissing] = useState(false);

  if (user) return <Navigate to={nextAddress(params)} replace />;

  const submit = async (): Promise<void> => {
    const name = username.trim();
    setMissing(name === '' || password === '');
    if (name === '' || password === '') return;
    const query = await turnstile.take();
    if (!query) return;
    const { data } = await login({ body: { username: name, password }, query });
    if (data) completeOauth(data);
  };

  if (needsSecondStep) return <SecondStepPage onDone={completeOauth} onBack={begin} />;
  return (
    <DoorPage title={t('title')} lead={t('lead')}>
      {params.get('expired') === 'true' && !error && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t('expired')}
        </Alert>
      )}
      <DoorForm error={error} action={t('submit')} isLoading={isLoading} onSubmit={submit}>
        <Field
          autoFocus
          label={t('username')}
          name="username"
          autoComplete="username"
          value={username}
          error={missing && username.trim() === ''}
          onChange={(event) => setUsername(event.target.value)}
          inputProps={{ autoCapitalize: 'none', spellCheck: false }}
        />
        <PasswordField label={t('password')} value={password} error={missing && password === ''} onChange={setPassword} />
        {missing && (
          <Typography role="alert" variant="body2" color="error">
            {t('missing')}
          </Typography>
        )}
        {turnstile.widget}
      </DoorForm>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 1, mt: 2 }}>
        {status?.register_enabled && (
          <Button component={Link} to="/register">
            {t('toRegister')}
          </Button>
        )}
        <Button component={Link} to="/reset" color="inherit">
          {t('toReset')}
        </Button>
      </Box>
      {status && <OtherWays status={status} onDone={completeOauth} />}
    </DoorPage>
  );
}

/** Where one goes after signing in: what `?next=` names, if it is a page of this site, else the tokens. */
function nextAddress(params: URLSearchParams): string {
  const next = params.get('next') ?? '';
  // As the browser reads it: `//host`, `/\host` and `/`, a tab, `/host` lead to other sites.
  const url = URL.parse(next, location.origin);
  const isOurs = next.startsWith('/') && url?.origin === location.origin && !url.pathname.startsWith('//');
  return isOurs && !next.startsWith('/login') ? next : '/token';
}
