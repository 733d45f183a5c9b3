import type { ManageUserBody, UserView } from '@tollgate/contracts/api/user';
import { role, userStatus } from '@tollgate/contracts/constants';
import type { TFunction } from 'i18next';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useHasRole, useSessionUser } from '../../shared/session.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { icons } from '../../shared/ui/icons.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { type DrawMenu, type QuickAction, type RowAction, RowMenu } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useManageUserMutation } from './api.ts';

const QuotaDialog = lazyPart(async () => (await import('./quota-dialog.tsx')).QuotaDialog);
const WaysInDialog = lazyPart(async () => (await import('./ways-in-dialog.tsx')).WaysInDialog);

/** The status of a user that exists and cannot be enabled. */
const cannotBeEnabled = 3;

/** Draws what can be done with one user; what the rank rules forbid is not offered, and the server refuses it besides. */
export function useUserActions(onEdit: (id: number) => void): (user: UserView) => ReactNode {
  const { t } = useTranslation(['users', 'shared']);
  const rank = useSessionUser()?.role ?? role.guest;
  return useCallback(
    (user) => {
      const mayTouch = user.DeletedAt === null && (rank >= role.root || user.role < rank);
      if (!mayTouch) return null;
      return (
        <>
          <RowButton label={t('editOne', { name: user.username })} hint={t('shared:edit')} icon={icons.edit} run={() => onEdit(user.id)} />
          <RowMenu label={`${t('shared:table.more')}: ${user.username}`} quick={user.role >= role.root ? [] : quickActionsOf(user, t)}>
            {(menu) => <UserDeeds user={user} menu={menu} />}
          </RowMenu>
        </>
      );
    },
    [t, rank, onEdit],
  );
}

function quickActionsOf({ username: name, status }: UserView, t: TFunction<['users', 'shared']>): QuickAction[] {
  return [
    ...(status === userStatus.enabled
      ? [{ key: 'disable', label: t('banOne', { name }), hint: t('actions.disable'), icon: icons.power }]
      : []),
    ...(status !== userStatus.enabled && status !== cannotBeEnabled
      ? [{ key: 'enable', label: t('shared:enableOne', { name }), hint: t('actions.enable'), icon: icons.power }]
      : []),
    { key: 'delete', label: t('shared:deleteOne', { name }), hint: t('actions.delete'), icon: icons.remove },
  ];
}

function UserDeeds({ user, menu }: { user: UserView; menu: DrawMenu }) {
  const navigate = useNavigate();
  const { t } = useTranslation('users');
  const isRoot = useHasRole(role.root);
  const confirm = useConfirm();
  const [manage] = useManageUserMutation();
  const undo = useUndo();
  const [open, setOpen] = useState<'quota' | 'waysIn'>();
  const close = (): void => setOpen(undefined);

  const act = async (action: ManageUserBody['action']): Promise<void> => {
    const { data, error } = await manage({ id: user.id, action });
    if (error) toast('error', messageOf(error));
    else toast('success', t('done'), undo(data));
  };
  const askAndAct = async (action: 'delete' | 'disable' | 'promote' | 'demote'): Promise<void> => {
    const dangerous = action === 'delete' || action === 'disable';
    const agreed = await confirm({
      title: t(`confirm.${action}`, { name: user.username }),
      text: t(`confirm.${action}Text`),
      action: t(`actions.${action}`),
      dangerous,
      ...(action === 'delete' ? { typed: user.username } : {}),
    });
    if (agreed) await act(action);
  };
  const isProtected = user.role >= role.root;
  const rankAction: RowAction | undefined =
    user.role >= role.admin
      ? { key: 'demote', label: t('actions.demote'), disabled: isProtected, run: () => askAndAct('demote') }
      : { key: 'promote', label: t('actions.promote'), disabled: !isRoot, run: () => askAndAct('promote') };

  return (
    <>
      {menu([
        { key: 'quota', label: t('actions.quota'), run: () => setOpen('quota') },
        { key: 'budget', label: t('actions.budget'), run: () => navigate(`/budget/add?subject=user&subject_id=${user.id}`) },
        { key: 'waysIn', label: t('actions.waysIn'), run: () => setOpen('waysIn') },
        rankAction,
        user.status === userStatus.enabled
          ? { key: 'disable', label: t('actions.disable'), disabled: isProtected, run: () => askAndAct('disable') }
          : { key: 'enable', label: t('actions.enable'), disabled: user.status === cannotBeEnabled, run: () => act('enable') },
        {
          key: 'delete',
          label: t('actions.delete'),
          dangerous: true,
          divided: true,
          disabled: isProtected,
          run: () => askAndAct('delete'),
        },
      ])}
      {open === 'quota' && <QuotaDialog user={user} onClose={close} />}
      {open === 'waysIn' && <WaysInDialog user={user} onClose={close} />}
    </>
  );
}
