import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { LoginAnswer } from '@tollgate/contracts/api/user';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { remembered } from '../../shared/preferences.ts';
import { DoorForm } from './door-form.tsx';
import { Field } from './fields.tsx';
import { inviterKey } from './inviter.ts';
import { useWechatLoginMutation } from './ways-api.ts';

/** The code that the official account tells whoever follows it. */
export function WechatDialog({ image, onDone, onClose }: { image: string; onDone: (answer: LoginAnswer) => void; onClose: () => void }) {
  const { t } = useTranslation(['door', 'session']);
  const [login, { isLoading, error }] = useWechatLoginMutation();
  const [code, setCode] = useState('');
  const submit = async (): Promise<void> => {
    if (code.trim() === '') return;
    const { data } = await login({ code: code.trim(), aff: remembered(inviterKey) ?? '' });
    if (!data) return;
    onClose();
    onDone(data);
  };
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="wechat-title" transitionDuration={80}>
      <DialogTitle id="wechat-title">{t('wechat.title')}</DialogTitle>
      <DialogContent sx={{ '&&': { pt: 1 } }}>
        {image && (
          <img src={image} alt={t('wechat.image')} style={{ display: 'block', width: '100%', maxWidth: 240, margin: '0 auto 16px' }} />
        )}
        <Typography variant="body2" color="textSecondary" sx={{ mb: 2 }}>
          {t('wechat.how')}
        </Typography>
        <DoorForm error={error} action={t('session:submit')} isLoading={isLoading} onSubmit={submit}>
          <Field
            autoFocus
            label={t('register.code')}
            name="wechat_code"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </DoorForm>
      </DialogContent>
    </Dialog>
  );
}
