import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import type { UserView } from '@tollgate/contracts/api/user';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { MoneyInput } from '../../shared/form/money-input.tsx';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUpdateUserMutation } from './api.ts';

const quotaForm = z.object({ add_quota: z.int().min(-1e15).max(1e15) });
const presets = [1, 10, 50, 100];

/** Gives a user quota, or takes some; what is there is added to, so calls that are paid meanwhile are not undone. */
export function QuotaDialog({ user, onClose }: { user: UserView; onClose: () => void }) {
  const { t } = useTranslation(['users', 'shared']);
  const money = useMoneyDisplay();
  const [update, { isLoading, error }] = useUpdateUserMutation();
  const { control, handleSubmit, watch } = useZodForm(quotaForm, { add_quota: 0 });
  const failedLate = useLateFailure(t('quota.title', { name: user.username }));
  const added = watch('add_quota');
  const shown = Number.isFinite(added) ? added : 0;
  const submit = handleSubmit(async ({ add_quota }) => {
    if (add_quota !== 0) {
      const answer = await update({ id: user.id, add_quota });
      if (answer.error) return failedLate(answer.error);
      toast('success', t('quota.done', { name: user.username }));
    }
    onClose();
  });
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="quota-title" transitionDuration={80}>
      <form noValidate onSubmit={submit}>
        <DialogTitle id="quota-title">{t('quota.title', { name: user.username })}</DialogTitle>
        <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, '&&': { pt: 1 } }}>
          {error && <Alert severity="error">{messageOf(error)}</Alert>}
          <MoneyInput control={control} name="add_quota" label={t('quota.add')} hint={t('quota.hint')} presets={presets} autoFocus />
          <Box sx={{ fontSize: 13, fontVariantNumeric: 'tabular-nums', color: 'text.secondary' }} aria-live="polite">
            {t('quota.sum', {
              before: formatQuota(user.quota, money),
              added: formatQuota(shown, money),
              after: formatQuota(user.quota + shown, money),
            })}
          </Box>
        </DialogContent>
        <DialogActions sx={{ px: 3, pb: 2 }}>
          <Button color="inherit" onClick={onClose}>
            {t('shared:cancel')}
          </Button>
          <Button type="submit" variant="contained" loading={isLoading}>
            {t('quota.submit')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
