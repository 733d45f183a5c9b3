import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { passwordChanged } from '../../shared/session.ts';
import { Card } from '../../shared/ui/card.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useChangeSelfMutation } from './api.ts';
import { useProof } from './proof.tsx';

/** A new password, typed twice; whoever sets it shows first that the account is theirs. */
export function PasswordCard() {
  const { t } = useTranslation('account');
  const dispatch = useDispatch();
  const prove = useProof();
  const [change, { isLoading }] = useChangeSelfMutation();
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [fault, setFault] = useState<string>();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const wrong = faultIn(password, again);
    setFault(wrong && t(wrong));
    if (wrong) return;
    const { data, error } = await prove(async ({ password: original_password, code }) => change({ password, original_password, code }));
    if (error) return setFault(messageOf(error));
    if (data === undefined) return;
    dispatch(passwordChanged());
    setPassword('');
    setAgain('');
    toast('success', t('password.changed'));
  };
  return (
    <Card title={t('password.title')} lead={t('password.lead')}>
      <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', gap: 1.25, flexWrap: 'wrap', alignItems: 'flex-start' }}>
        <TextField
          sx={{ flex: '1 1 200px' }}
          type="password"
          autoComplete="new-password"
          label={t('password.new')}
          helperText={t('password.rule')}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          sx={{ flex: '1 1 200px' }}
          type="password"
          autoComplete="new-password"
          label={t('password.again')}
          value={again}
          onChange={(event) => setAgain(event.target.value)}
        />
        <Button type="submit" variant="outlined" loading={isLoading}>
          {t('password.change')}
        </Button>
      </Box>
      {fault && <Alert severity="error">{fault}</Alert>}
    </Card>
  );
}

function faultIn(password: string, again: string): 'password.short' | 'password.long' | 'password.differ' | undefined {
  if (password.length < 8) return 'password.short';
  if (password.length > 20) return 'password.long';
  return password === again ? undefined : 'password.differ';
}
