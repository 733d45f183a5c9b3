import VisibilityOffOutlined from '@mui/icons-material/VisibilityOffOutlined';
import VisibilityOutlined from '@mui/icons-material/VisibilityOutlined';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControl from '@mui/material/FormControl';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import InputLabel from '@mui/material/InputLabel';
import OutlinedInput, { type OutlinedInputProps } from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { Navigate, useSearchParams } from 'react-router';
import { sessionStarted, useSessionUser } from '../../shared/session.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { Mark } from '../../shared/ui/mark.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useLoginMutation } from './api.ts';
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
  const title = t('title');
  useEffect(() => {
    document.title = title;
  }, [title]);

  if (user) return <Navigate to={nextAddress(params)} replace />;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const name = username.trim();
    setMissing(name === '' || password === '');
    if (name === '' || password === '') return;
    const { data } = await login({ username: name, password });
    if (!data) return;
    dispatch(sessionStarted({ ...data, factoryPassword: data.factory_password }));
    if (!data.factory_password) toast('success', t('signedIn'));
  };

  return (
    <Box
      component="main"
      sx={{ minHeight: '100dvh', display: 'flex', flexDirection: 'column', alignItems: 'center', px: 2, pt: { xs: 7, sm: '14vh' } }}
    >
      <Box sx={{ width: '100%', maxWidth: 360 }}>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25, mb: 3.5 }}>
          <Mark logo={status?.logo ?? ''} size={30} />
          <Typography variant="h2" component="p" sx={{ fontSize: 17 }}>
            {status?.system_name || 'Tollgate'}
          </Typography>
        </Box>
        <Typography variant="h1" sx={{ fontSize: 24, mb: 0.5 }}>
          {title}
        </Typography>
        <Typography variant="body2" color="textSecondary" sx={{ mb: 3 }}>
          {t('lead')}
        </Typography>
        {params.get('expired') === 'true' && !error && (
          <Alert severity="info" sx={{ mb: 2 }}>
            {t('expired')}
          </Alert>
        )}
        {error && (
          <Alert severity="error" sx={{ mb: 2 }}>
            {messageOf(error)}
          </Alert>
        )}
        <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
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
          <Button type="submit" variant="contained" size="large" loading={isLoading} sx={{ minHeight: 42, fontSize: 14 }}>
            {t('submit')}
          </Button>
        </Box>
      </Box>
    </Box>
  );
}

function PasswordField({
  label,
  value,
  error,
  onChange,
}: {
  label: string;
  value: string;
  error: boolean;
  onChange: (text: string) => void;
}) {
  const { t } = useTranslation('session');
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  return (
    <Field
      label={label}
      name="password"
      type={shown ? 'text' : 'password'}
      autoComplete="current-password"
      value={value}
      error={error}
      hint={capsLock ? t('capsLock') : undefined}
      onChange={(event) => onChange(event.target.value)}
      onKeyUp={(event) => setCapsLock(event.getModifierState('CapsLock'))}
      endAdornment={
        <InputAdornment position="end">
          <IconButton edge="end" aria-label={shown ? t('hidePassword') : t('showPassword')} onClick={() => setShown(!shown)}>
            {shown ? <VisibilityOffOutlined fontSize="small" /> : <VisibilityOutlined fontSize="small" />}
          </IconButton>
        </InputAdornment>
      }
    />
  );
}

/** A labelled line to type in. MUI's own, `TextField`, brings the menus of its select along, which nobody needs to sign in. */
function Field({ label, hint, ...input }: OutlinedInputProps & { label: string; hint?: string | undefined }) {
  const id = useId();
  return (
    <FormControl size="medium" fullWidth error={input.error ?? false}>
      <InputLabel htmlFor={id}>{label}</InputLabel>
      <OutlinedInput id={id} label={label} aria-describedby={hint ? `${id}-hint` : undefined} {...input} />
      {hint && <FormHelperText id={`${id}-hint`}>{hint}</FormHelperText>}
    </FormControl>
  );
}
