import Box from '@mui/material/Box';
import type { UserView } from '@tollgate/contracts/api/user';
import { type Control, type FieldValues, type Path, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { MoneyInput } from '../../shared/form/money-input.tsx';
import { formatQuota } from '../../shared/format.ts';
import { useMoneyDisplay } from '../../shared/site.ts';

const presets = [1, 10, 50, 100];

interface AddQuotaProps<Values extends FieldValues> {
  // biome-ignore lint/suspicious/noExplicitAny: a form whose schema transforms has a third type, which no field needs
  control: Control<Values, any, any>;
  user: UserView;
  autoFocus?: boolean;
}

/** What a user is given, or with a minus loses, and what they have then. It is added, so calls paid meanwhile are not undone. */
export function AddQuota<Values extends FieldValues & { add_quota: number }>({ control, user, autoFocus = false }: AddQuotaProps<Values>) {
  const { t } = useTranslation('users');
  const money = useMoneyDisplay();
  const name = 'add_quota' as Path<Values>;
  const added: unknown = useWatch({ control, name });
  const shown = Number.isFinite(added) ? (added as number) : 0;
  return (
    <>
      <MoneyInput control={control} name={name} label={t('quota.add')} hint={t('quota.hint')} presets={presets} autoFocus={autoFocus} />
      <Box sx={{ fontSize: 13, fontVariantNumeric: 'tabular-nums', color: 'text.secondary', mt: -1 }} aria-live="polite">
        {t('quota.sum', {
          before: formatQuota(user.quota, money),
          added: formatQuota(shown, money),
          after: formatQuota(user.quota + shown, money),
        })}
      </Box>
    </>
  );
}
