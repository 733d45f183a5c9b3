import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { password } from '@tollgate/contracts/api/user';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { z } from 'zod';
import { TextInput } from '../../shared/form/fields.tsx';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { passwordChanged } from '../../shared/session.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUpdateSelfMutation } from './api.ts';

const passwordForm = z.object({ original_password: z.string().min(1).max(128), password });

/** Stands on every page while the password is the one that everybody knows, and offers to change it at once. */
export function FactoryPasswordNotice() {
  const { t } = useTranslation('door');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Alert
        severity="warning"
        variant="outlined"
        sx={{ mx: { xs: 1.5, md: 2.5 }, mt: 1.5, bgcolor: 'background.paper' }}
        action={
          <Button color="inherit" sx={{ whiteSpace: 'nowrap' }} onClick={() => setOpen(true)}>
            {t('factory.change')}
          </Button>
        }
      >
        {t('factory.text')}
      </Alert>
      {open && <PasswordDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['door', 'shared']);
  const dispatch = useDispatch();
  const [update, { isLoading, error }] = useUpdateSelfMutation();
  const { control, handleSubmit } = useZodForm(passwordForm, { original_password: '', password: '' });
  const failedLate = useLateFailure(t('factory.change'));
  const submit = handleSubmit(async (body) => {
    const answer = await update(body);
    if (answer.error) return failedLate(answer.error);
    dispatch(passwordChanged());
    toast('success', t('factory.changed'));
    onClose();
  });
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="password-title" transitionDuration={80}>
      <form noValidate onSubmit={submit}>
        <DialogTitle id="password-title">{t('factory.change')}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, '&&': { pt: 1 } }}>
          {error && <Alert severity="error">{messageOf(error)}</Alert>}
          <TextInput
            control={control}
            name="original_password"
            label={t('factory.oldPassword')}
            type="password"
            autoComplete="current-password"
            autoFocus
          />
          <TextInput
            control={control}
            name="password"
            label={t('factory.newPassword')}
            hint={t('factory.rule')}
            type="password"
            autoComplete="new-password"
          />
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button color="inherit" onClick={onClose}>
            {t('shared:cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={isLoading}>
            {t('factory.change')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
