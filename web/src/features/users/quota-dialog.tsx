import type { UserView } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { useKeptForm } from '../../shared/form/use-kept.ts';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { toast } from '../../shared/ui/toasts.ts';
import { AddQuota } from './add-quota.tsx';
import { useUpdateUserMutation } from './api.ts';

const quotaForm = z.object({ add_quota: z.int().min(-1e15).max(1e15) });

/** Gives a user quota, or takes some; what is there is added to, so calls that are paid meanwhile are not undone. */
export function QuotaDialog({ user, onClose }: { user: UserView; onClose: () => void }) {
  const { t } = useTranslation('users');
  const [update, { isLoading, error }] = useUpdateUserMutation();
  const form = useZodForm(quotaForm, { add_quota: 0 });
  const { control, handleSubmit, formState } = form;
  useKeptForm(`quota/${user.id}`, form);
  const failedLate = useLateFailure(t('quota.title', { name: user.username }));
  const submit = handleSubmit(async ({ add_quota }) => {
    if (add_quota !== 0) {
      const answer = await update({ id: user.id, add_quota });
      if (answer.error) return failedLate(answer.error);
      toast('success', t('quota.done', { name: user.username }));
    }
    onClose();
  });
  return (
    <FormDialog
      title={t('quota.title', { name: user.username })}
      submit={t('quota.submit')}
      onSubmit={submit}
      onClose={onClose}
      dirty={formState.isDirty}
      isBusy={isLoading}
      error={error}
    >
      <AddQuota control={control} user={user} autoFocus />
    </FormDialog>
  );
}
