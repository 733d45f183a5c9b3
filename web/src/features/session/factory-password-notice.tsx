import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { password } from '@tollgate/contracts/api/user';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { z } from 'zod';
import { TextInput } from '../../shared/form/fields.tsx';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { passwordChanged, useSessionUser } from '../../shared/session.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { useIsPhone } from '../../shared/ui/use-is-phone.ts';
import { useUpdateSelfMutation } from './api.ts';

const passwordForm = z.object({ original_password: z.string().min(1).max(128), password });

/** On every page while the password is the default or a temporary one; offers to change it at once. */
export function FactoryPasswordNotice() {
  const { t } = useTranslation('door');
  const [open, setOpen] = useState(false);
  const isPhone = useIsPhone();
  const isTemporary = useSessionUser()?.temporaryPassword === true;
  return (
    <>
      <Alert
        severity="warning"
        variant="outlined"
        sx={{
          mx: { xs: 1.5, md: 2.5 },
          mt: 1.5,
          bgcolor: 'background.paper',
          alignItems: 'center',
          py: { xs: 0, sm: 0.75 },
          '& .MuiAlert-message': { flex: 1, minWidth: 0 },
          '& .MuiAlert-action': { p: 0 },
        }}
        action={
          <Button color="inherit" sx={{ whiteSpace: 'nowrap' }} onClick={() => setOpen(true)}>
            {t('factory.change')}
          </Button>
        }
      >
        {t(`factory.${noticeOf(isTemporary, isPhone)}`)}
      </Alert>
      {open && <PasswordDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function noticeOf(isTemporary: boolean, isPhone: boolean): 'temporary' | 'short' | 'text' {
  if (isTemporary) return 'temporary';
  return isPhone ? 'short' : 'text';
}

function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('door');
  const dispatch = useDispatch();
  const [update, { isLoading, error }] = useUpdateSelfMutation();
  const { control, handleSubmit, formState } = useZodForm(passwordForm, { original_password: '', password: '' });
  const failedLate = useLateFailure(t('factory.change'));
  const submit = handleSubmit(async (body) => {
    const answer = await update(body);
    if (answer.error) return failedLate(answer.error);
    dispatch(passwordChanged());
    toast('success', t('factory.changed'));
    onClose();
  });
  return (
    <FormDialog
      title={t('factory.change')}
      submit={t('factory.change')}
      onSubmit={submit}
      onClose={onClose}
      dirty={formState.isDirty}
      isBusy={isLoading}
      error={error}
    >
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
    </FormDialog>
  );
}
