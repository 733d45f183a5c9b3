import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser';
import type { PasskeyView } from '@tollgate/contracts/api/own-account';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { isGivenUp } from '../../shared/passkeys.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useBeginPasskeyMutation, useFinishPasskeyMutation, useForgetPasskeyMutation, useListPasskeysQuery } from './api.ts';
import { Line } from './line.tsx';
import { useProof } from './proof.tsx';

/** Keys of devices that sign in without a password. */
export function PasskeysCard() {
  const { t } = useTranslation('account');
  const { data: passkeys = [] } = useListPasskeysQuery();
  return (
    <Card title={t('passkeys.title')} lead={t('passkeys.lead')}>
      {passkeys.map((passkey) => (
        <PasskeyLine key={passkey.id} passkey={passkey} />
      ))}
      {browserSupportsWebAuthn() ? (
        <AddForm count={passkeys.length} />
      ) : (
        <Typography variant="body2" color="textSecondary">
          {t('passkeys.unsupported')}
        </Typography>
      )}
    </Card>
  );
}

function PasskeyLine({ passkey: { id, name, created_time, used_time } }: { passkey: PasskeyView }) {
  const { t } = useTranslation('account');
  const confirm = useConfirm();
  const [forget] = useForgetPasskeyMutation();
  const remove = async (): Promise<void> => {
    if (!(await confirm({ title: t('passkeys.removeTitle', { name }), action: t('passkeys.remove'), dangerous: true }))) return;
    const { error } = await forget(id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('passkeys.removed'));
  };
  return (
    <Line
      label={name}
      value={
        <>
          {t('passkeys.made')} <TimeText seconds={created_time} />
          {used_time > 0 && (
            <>
              {' · '}
              {t('passkeys.used')} <TimeText seconds={used_time} />
            </>
          )}
        </>
      }
      action={
        <Button color="inherit" onClick={remove} aria-label={`${t('passkeys.remove')}: ${name}`}>
          {t('passkeys.remove')}
        </Button>
      }
    />
  );
}

function AddForm({ count }: { count: number }) {
  const { t } = useTranslation('account');
  const prove = useProof();
  const [begin] = useBeginPasskeyMutation();
  const [finish] = useFinishPasskeyMutation();
  const [name, setName] = usePersistedState('passkey-name', '');
  const [isAsking, setAsking] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setAsking(true);
    try {
      const { data: options, error } = await prove(async (proof) => begin(proof));
      if (error) throw error;
      if (!options) return;
      const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'];
      const made = await startRegistration({ optionsJSON });
      const response = { ...made, response: { ...made.response }, clientExtensionResults: {} };
      await finish({ name: name.trim() || t('passkeys.nth', { n: count + 1 }), response }).unwrap();
      setName('');
      toast('success', t('passkeys.added'));
    } catch (error) {
      if (!isGivenUp(error)) toast('error', messageOf(error));
    } finally {
      setAsking(false);
    }
  };
  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'flex', gap: 1.25, flexWrap: 'wrap' }}>
      <TextField
        sx={{ flex: '1 1 160px' }}
        label={t('passkeys.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        slotProps={{ htmlInput: { maxLength: 50 } }}
      />
      <Button type="submit" variant="outlined" loading={isAsking}>
        {t('passkeys.add')}
      </Button>
    </Box>
  );
}
