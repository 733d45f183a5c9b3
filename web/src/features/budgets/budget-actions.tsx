import type { BudgetView } from '@tollgate/contracts/api/budget';
import { role } from '@tollgate/contracts/constants';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHasRole } from '../../shared/session.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { icons } from '../../shared/ui/icons.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { type DrawMenu, RowMenu } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useDeleteBudgetMutation } from './api.ts';

const BudgetHistory = lazyPart(async () => (await import('./budget-history.tsx')).BudgetHistory);

/** Draws what can be done with one budget: those of an administrator are changed by administrators only. */
export function useBudgetActions(onEdit: (id: number) => void): (budget: BudgetView) => ReactNode {
  const { t } = useTranslation(['budgets', 'shared']);
  const isAdmin = useHasRole(role.admin);
  return useCallback(
    (budget) => {
      const mayChange = isAdmin || !(budget.by_admin || budget.subject === 'group');
      return (
        <>
          {mayChange && (
            <RowButton
              label={t('editOne', { name: budget.name })}
              hint={t('shared:edit')}
              icon={icons.edit}
              run={() => onEdit(budget.id)}
            />
          )}
          <RowMenu label={`${t('shared:table.more')}: ${budget.name}`}>
            {(menu) => <BudgetMenu budget={budget} menu={menu} mayChange={mayChange} />}
          </RowMenu>
        </>
      );
    },
    [t, onEdit, isAdmin],
  );
}

function BudgetMenu({ budget, menu, mayChange }: { budget: BudgetView; menu: DrawMenu; mayChange: boolean }) {
  const { t } = useTranslation(['budgets', 'shared']);
  const confirm = useConfirm();
  const [remove] = useDeleteBudgetMutation();
  const [isShown, setShown] = useState(false);
  const askAndRemove = async (): Promise<void> => {
    const agreed = await confirm({
      title: t('deleteTitle', { name: budget.name }),
      text: t('deleteText'),
      action: t('shared:delete'),
      dangerous: true,
    });
    if (!agreed) return;
    const { error } = await remove(budget.id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('deleted'));
  };
  return (
    <>
      {menu([
        { key: 'view', label: t('history'), run: () => setShown(true) },
        ...(mayChange ? [{ key: 'delete', label: t('shared:delete'), dangerous: true, divided: true, run: askAndRemove }] : []),
      ])}
      {isShown && <BudgetHistory budget={budget} onClose={() => setShown(false)} />}
    </>
  );
}
