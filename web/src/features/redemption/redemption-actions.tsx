import type { RedemptionView } from '@tollgate/contracts/api/redemption';
import { redemptionStatus } from '@tollgate/contracts/constants';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { copyText } from '../../shared/ui/copy.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { icons } from '../../shared/ui/icons.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { type DrawMenu, RowMenu, sharedQuickActions } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useDeleteRedemptionMutation, useSetRedemptionStatusMutation } from './api.ts';

const CodesDialog = lazyPart(async () => (await import('./codes-dialog.tsx')).CodesDialog);

/** Draws what can be done with one code: it is edited while it is unused, and switched while nobody has used it. */
export function useRedemptionActions(onEdit: (id: number) => void): (code: RedemptionView) => ReactNode {
  const { t } = useTranslation(['redemption', 'shared']);
  return useCallback(
    (code) => (
      <>
        {code.status === redemptionStatus.unused && (
          <RowButton label={t('editOne', { name: code.name })} hint={t('shared:edit')} icon={icons.edit} run={() => onEdit(code.id)} />
        )}
        <RowMenu
          label={`${t('shared:table.more')}: ${code.name}`}
          quick={[
            { key: 'view', label: t('viewOne', { name: code.name }), hint: t('view'), icon: icons.view },
            ...sharedQuickActions(code.name, code.status === redemptionStatus.unused).filter(
              ({ key }) => key === 'delete' || code.status !== redemptionStatus.used,
            ),
          ]}
        >
          {(menu) => <RedemptionDeeds code={code} menu={menu} />}
        </RowMenu>
      </>
    ),
    [t, onEdit],
  );
}

function RedemptionDeeds({ code, menu }: { code: RedemptionView; menu: DrawMenu }) {
  const { t } = useTranslation(['redemption', 'shared']);
  const confirm = useConfirm();
  const [setStatus] = useSetRedemptionStatusMutation();
  const [remove] = useDeleteRedemptionMutation();
  const undo = useUndo();

  const change = async (status: 1 | 2): Promise<void> => {
    const { error } = await setStatus({ id: code.id, status });
    if (error) toast('error', messageOf(error), { label: t('shared:retry'), run: () => change(status) });
  };
  const askAndRemove = async (): Promise<void> => {
    const agreed = await confirm({
      title: t('deleteTitle', { name: code.name }),
      text: t('deleteText'),
      action: t('shared:delete'),
      dangerous: true,
    });
    if (!agreed) return;
    const { data, error } = await remove(code.id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('deleted'), undo(data));
  };
  const copy = async (): Promise<void> => {
    if (await copyText(code.key)) toast('success', t('shared:copy.done'));
  };
  const [isShown, setShown] = useState(false);

  const drawn = menu([
    { key: 'view', label: t('view'), run: () => setShown(true) },
    { key: 'copy', label: t('shared:copy.copy'), run: copy },
    code.status === redemptionStatus.unused
      ? { key: 'disable', label: t('shared:disable'), run: () => change(redemptionStatus.disabled) }
      : {
          key: 'enable',
          label: t('shared:enable'),
          disabled: code.status === redemptionStatus.used,
          run: () => change(redemptionStatus.unused),
        },
    { key: 'delete', label: t('shared:delete'), dangerous: true, divided: true, run: askAndRemove },
  ]);
  return (
    <>
      {drawn}
      {isShown && (
        <CodesDialog made={{ ...code, keys: [code.key] }} title={t('viewTitle', { name: code.name })} onClose={() => setShown(false)} />
      )}
    </>
  );
}
