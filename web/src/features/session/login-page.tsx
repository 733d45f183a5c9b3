import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { Link, Navigate, useSearchParams } from 'react-router';
import { sessionStarted, useSessionUser } from '../../shared/session.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useLoginMutation } from './api.ts';
import { DoorForm } from './door-form.tsx';
import { DoorPage } from './door-page.tsx';
import { Field, PasswordField } from './fields.tsx';
import { nextAddress } from './next-address.ts';

export function LoginPage() {
  const { t } = useTranslation('session');
  const dispatch = useDispatch();
  const [params] = useSearchParams();
  const user = useSessionUser();
  const { data: status } = useGetStatusQuery();
  const [login, { isLoading, error }] = useLoginMutation();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);

  if (user) return <Navigate to={nextAddress(params)} replace />;

  const submit = async (): Promise<void> => {
    const name = username.trim();
    setMissing(name === '' || password === '');
    if (name === '' || password === '') return;
    const { data } = await login({ username: name, password });
    if (!data) return;
    dispatch(sessionStarted({ ...data, factoryPassword: data.factory_password }));
    if (!data.factory_password) toast('success', t('signedIn'));
  };

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
    </DoorPage>
  );
}
