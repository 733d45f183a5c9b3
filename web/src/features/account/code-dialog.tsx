import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useTurnstile } from '../../shared/ui/use-turnstile.tsx';
import { useCooldown } from '../../shared/use-cooldown.ts';
import { useBindEmailMutation, useBindWechatMutation, useSendCodeMutation } from './api.ts';
import { useConfirmed } from './proof.tsx';

/** Binds an address by the code that is mailed there, or a WeChat account by the code that the official account tells. */
export function CodeDialog({ kind, image, onClose }: { kind: 'email' | 'wechat'; image: string; onClose: () => void }) {
  const { t } = useTranslation('account');
  const confirmed = useConfirmed();
  const [bindEmail, email$] = useBindEmailMutation();
  const [bindWechat, wechat$] = useBindWechatMutation();
  const [send, sent] = useSendCodeMutation();
  const [left, begin] = useCooldown();
  const turnstile = useTurnstile();
  const [email, setEmail] = usePersistedState('own-address', '');
  const [code, setCode] = useState('');
  const [isTried, setTried] = useState(false);
  const missingEmail = kind === 'email' && email.trim() === '';
  const missingCode = code.trim() === '';
  const error = email$.error ?? wechat$.error ?? sent.error;
  const submit = async (): Promise<void> => {
    setTried(true);
    if (missingCode || missingEmail) return;
    const typed = { email: email.trim(), code: code.trim() };
    const { data } = await confirmed(async () => (kind === 'email' ? bindEmail(typed) : bindWechat(typed.code)));
    if (data === undefined) return;
    toast('success', t('bindings.bound', { name: t(`bindings.${kind}`) }));
    onClose();
  };
  const ask = async (): Promise<void> => {
    const solved = await turnstile.take();
    if (solved && !(await send({ email: email.trim(), ...solved })).error) begin();
  };
  return (
    <FormDialog
      title={t(`bindings.${kind}Title`)}
      submit={t('bindings.bind')}
      onSubmit={submit}
      onClose={onClose}
      dirty={email !== '' || code !== ''}
      isBusy={email$.isLoading || wechat$.isLoading}
      error={error}
    >
      {kind === 'email' ? (
        <>
          <TextField
            autoFocus
            type="email"
            autoComplete="email"
            label={t('bindings.email')}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            error={isTried && missingEmail}
            helperText={isTried && missingEmail && t('bindings.emailMissing')}
            slotProps={{ formHelperText: { role: 'alert' } }}
          />
          <Button variant="outlined" onClick={ask} disabled={left > 0 || email.trim() === ''} loading={sent.isLoading}>
            {left > 0 ? t('bindings.againIn', { seconds: left }) : t('bindings.sendCode')}
          </Button>
          {turnstile.widget}
        </>
      ) : (
        <>
          {image && <img src={image} alt={t('bindings.wechatImage')} style={{ width: '100%', maxWidth: 240, margin: '0 auto' }} />}
          <Typography variant="body2" color="textSecondary">
            {t('bindings.wechatHow')}
          </Typography>
        </>
      )}
      <TextField
        autoFocus={kind === 'wechat'}
        autoComplete="one-time-code"
        label={t('bindings.code')}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        error={isTried && missingCode}
        helperText={isTried && missingCode && t(kind === 'email' ? 'bindings.emailCodeMissing' : 'bindings.codeMissing')}
        slotProps={{ formHelperText: { role: 'alert' } }}
      />
    </FormDialog>
  );
}
