import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { changeRunBody, type RunView } from '@tollgate/contracts/api/run';
import { useTranslation } from 'react-i18next';
import { MoneyInput } from '../../shared/form/money-input.tsx';
import { useZodForm } from '../../shared/form/use-zod-form.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useChangeRunMutation } from './api.ts';

/** US dollars. */
const presets = [1, 5, 10, 50];

/** Changes the ceiling of a run, which goes on at once. */
export function CeilingForm({ run }: { run: RunView }) {
  const { t } = useTranslation('budgets');
  const [change, { isLoading }] = useChangeRunMutation();
  const { control, handleSubmit } = useZodForm(changeRunBody, { id: run.id, limit: run.limit });
  const save = handleSubmit(async (body) => {
    const { error } = await change(body);
    if (error) toast('error', messageOf(error));
    else toast('success', t('runs.changed'));
  });
  return (
    <Stack component="form" spacing={1} onSubmit={save} sx={{ alignItems: 'flex-start' }}>
      <MoneyInput control={control} name="limit" label={t('runs.ceiling')} presets={presets} />
      <Button type="submit" variant="outlined" disabled={isLoading}>
        {t('runs.change')}
      </Button>
    </Stack>
  );
}
