import type { TokenView } from '@tollgate/contracts/api/token';
import { tokenStatus } from '@tollgate/contracts/constants';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { chatAddress, chatLinksOf } from '../../shared/chat-links.ts';
import { useGetStatusQuery } from '../../shared/site.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { icons } from '../../shared/ui/icons.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { type DrawMenu, RowMenu, sharedQuickActions } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useDeleteTokenMutation, useSetTokenStatusMutation } from './api.ts';

const TokenResult = lazyPart(async () => (await import('./token-result.tsx')).TokenResult);

/** Draws what can be done with one token. */
export function useTokenActions(onEdit: (id: number) => void): (token: TokenView) => ReactNode {
  const { t } = useTranslation(['tokens', 'shared']);
  return useCallback(
    (token) => (
      <>
        <RowButton label={t('editOne', { name: token.name })} hint={t('shared:edit')} icon={icons.edit} run={() => onEdit(token.id)} />
        <RowMenu
          label={`${t('shared:table.more')}: ${token.name}`}
          quick={[
            { key: 'view', label: t('viewOne', { name: token.name }), hint: t('view'), icon: icons.view },
            ...sharedQuickActions(token.name, token.status === tokenStatus.enabled),
          ]}
        >
          {(menu) => <TokenActions token={token} menu={menu} />}
        </RowMenu>
      </>
    ),
    [t, onEdit],
  );
}

function TokenActions({ token, menu }: { token: TokenView; menu: DrawMenu }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const confirm = useConfirm();
  const [setStatus] = useSetTokenStatusMutation();
  const [remove] = useDeleteTokenMutation();
  const undo = useUndo();
  const navigate = useNavigate();
  const [shown, setShown] = useState(false);
  const isEnabled = token.status === tokenStatus.enabled;

  const { data: site } = useGetStatusQuery();
  const chats = (site ? chatLinksOf(site) : []).flatMap((link) => {
    const address = chatAddress(link, token.key, site?.server_address ?? '');
    return address
      ? [{ key: link.name, label: t('chatWith', { name: link.name }), run: () => window.open(address, '_blank', 'noopener') }]
      : [];
  });

  const change = async (status: 1 | 2): Promise<void> => {
    const { error } = await setStatus({ id: token.id, status });
    if (error) toast('error', messageOf(error), { label: t('shared:retry'), run: () => change(status) });
  };
  const askAndRemove = async (): Promise<void> => {
    const agreed = await confirm({
      title: t('deleteTitle', { name: token.name || token.id }),
      text: t('deleteText'),
      action: t('shared:delete'),
      dangerous: true,
    });
    if (!agreed) return;
    const { data, error } = await remove(token.id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('deleted'), undo(data));
  };

  return (
    <>
      {menu([
        { key: 'view', label: t('view'), run: () => setShown(true) },
        ...(isEnabled ? chats : []),
        { key: 'budget', label: t('createBudget'), run: () => navigate(`/budget/add?subject=token&subject_id=${token.id}`) },
        isEnabled
          ? { key: 'disable', label: t('shared:disable'), run: () => change(tokenStatus.disabled) }
          : { key: 'enable', label: t('shared:enable'), run: () => change(tokenStatus.enabled) },
        { key: 'delete', label: t('shared:delete'), dangerous: true, divided: true, run: askAndRemove },
      ])}
      {shown && <TokenResult tokens={[token]} onClose={() => setShown(false)} />}
    </>
  );
}
