import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useTurnstile } from '../../shared/ui/use-turnstile.tsx';
import { useCooldown } from '../../shared/use-cooldown.ts';
import { useBindEmailMutation, useBindWechatMutation, useSendCodeMutation } from './api.ts';

/** Binds an address by the code that is mailed there, or a WeChat account by the code that the official account tells. */
export function CodeDialog({ kind, image, onClose }: { kind: 'email' | 'wechat'; image: string; onClose: () => void }) {
  const { t } = useTranslation(['account', 'shared']);
  const [bindEmail, email$] = useBindEmailMutation();
  const [bindWechat, wechat$] = useBindWechatMutation();
  const [send, sent] = useSendCodeMutation();
  const [left, begin] = useCooldown();
  const turnstile = useTurnstile();
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const error = email$.error ?? wechat$.error ?? sent.error;
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (code.trim() === '' || (kind === 'email' && email.trim() === '')) return;
    const answer = kind === 'email' ? await bindEmail({ email: email.trim(), code: code.trim() }) : await bindWechat(code.trim());
    if (answer.error) return;
    toast('success', t('bindings.bound'));
    onClose();
  };
  const ask = async (): Promise<void> => {
    const solved = turnstile.take();
    if (solved && !(await send({ email: email.trim(), ...solved })).error) begin();
  };
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="bind-title" transitionDuration={80}>
      <form noValidate onSubmit={submit}>
        <DialogTitle id="bind-title">{t(`bindings.${kind}Title`)}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, '&&': { pt: 1 } }}>
          {error && <Alert severity="error">{messageOf(error)}</Alert>}
          {kind === 'email' ? (
            <>
              <TextField
                autoFocus
                type="email"
                autoComplete="email"
                label={t('bindings.email')}
                value={email}
                onChange={(event) => setEmail(event.target.value)}
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
          />
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button color="inherit" onClick={onClose}>
            {t('shared:cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={email$.isLoading || wechat$.isLoading}>
            {t('bindings.bind')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
