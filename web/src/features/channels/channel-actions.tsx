import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { channelStatus } from '@tollgate/contracts/constants';
import type { TFunction } from 'i18next';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { formatChannelBalance, formatSeconds, namesIn } from '../../shared/format.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { isApiError, messageOf } from '../../shared/ui/error-notice.tsx';
import { icons } from '../../shared/ui/icons.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { type DrawMenu, type QuickAction, RowMenu, sharedQuickActions } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useCopyChannelMutation, useDeleteChannelMutation, usePatchChannelMutation, useUpdateBalanceMutation } from './api.ts';
import { useChannelTest } from './use-channel-test.ts';
import { useChannelTypes } from './use-channel-types.ts';
import { useTagActions } from './use-tag-actions.ts';

const TestDialog = lazyPart(async () => (await import('./test-dialog.tsx')).TestDialog);

/** Draws what can be done with one channel. */
export function useChannelActions(onEdit: (id: number) => void): (channel: ChannelView) => ReactNode {
  const { t } = useTranslation(['channels', 'shared']);
  return useCallback(
    (channel) => (
      <>
        <RowButton label={t('editOne', { name: channel.name })} hint={t('shared:edit')} icon={icons.edit} run={() => onEdit(channel.id)} />
        <RowMenu label={`${t('shared:table.more')}: ${channel.name}`} quick={quickActionsOf(channel, t)}>
          {(menu) => <ChannelDeeds channel={channel} menu={menu} />}
        </RowMenu>
      </>
    ),
    [t, onEdit],
  );
}

function quickActionsOf({ name, status }: ChannelView, t: TFunction<['channels', 'shared']>): QuickAction[] {
  return [
    { key: 'test', label: t('test.one', { name }), hint: t('test.run'), icon: icons.test },
    { key: 'copy', label: t('duplicateOne', { name }), hint: t('duplicate'), icon: icons.copy, needs: 'wide' },
    ...sharedQuickActions(name, status === channelStatus.enabled),
  ];
}

function ChannelDeeds({ channel, menu }: { channel: ChannelView; menu: DrawMenu }) {
  const { t } = useTranslation(['channels', 'shared']);
  const confirm = useConfirm();
  const navigate = useNavigate();
  const { tellsBalance } = useChannelTypes();
  const [patch] = usePatchChannelMutation();
  const [copy] = useCopyChannelMutation();
  const [remove] = useDeleteChannelMutation();
  const undo = useUndo();
  const [updateBalance] = useUpdateBalanceMutation();
  const [test, isTesting] = useChannelTest(channel.id);
  const [choosing, setChoosing] = useState(false);
  const tagActions = useTagActions(channel.tag);
  /** Somebody deleted it since the list was read. */
  const reasonOf = (error: unknown): string => (isApiError(error) && error.code === 'record_not_found' ? t('gone') : messageOf(error));
  const isEnabled = channel.status === channelStatus.enabled;

  const setStatus = async (status: 1 | 2, undone = false): Promise<void> => {
    const { error } = await patch({ id: channel.id, status });
    if (error) return toast('error', reasonOf(error), { label: t('shared:retry'), run: () => setStatus(status) });
    const back = status === channelStatus.enabled ? channelStatus.disabled : channelStatus.enabled;
    const text = status === channelStatus.enabled ? t('nowEnabled', { name: channel.name }) : t('nowDisabled', { name: channel.name });
    if (!undone) toast('info', text, { label: t('shared:undo'), run: () => setStatus(back, true) });
  };
  const runTest = async (): Promise<void> => {
    const { data, error } = await test();
    if (error) toast('error', t('test.failed', { name: channel.name, reason: reasonOf(error) }));
    else toast('success', t('test.passed', { name: channel.name, time: formatSeconds(data.time) }));
  };
  const askBalance = async (): Promise<void> => {
    const { data, error } = await updateBalance(channel.id);
    if (error) toast('error', reasonOf(error));
    else toast('success', t('balance.updated', { name: channel.name, amount: formatChannelBalance(data.balance) }));
  };
  const duplicate = async (): Promise<void> => {
    const { data, error } = await copy(channel.id);
    if (error) toast('error', t('copyFailed', { reason: reasonOf(error) }));
    else toast('success', t('copied', { name: data.name }));
  };
  const askAndRemove = async (): Promise<void> => {
    const agreed = await confirm({
      title: t('deleteTitle', { name: channel.name }),
      text: t('deleteText'),
      action: t('shared:delete'),
      dangerous: true,
    });
    if (!agreed) return;
    const { data, error } = await remove(channel.id);
    if (error) toast('error', reasonOf(error));
    else toast('success', t('deleted', { count: 1 }), undo(data));
  };

  return (
    <>
      {menu([
        { key: 'test', label: t('test.run'), disabled: isTesting, run: runTest },
        ...(namesIn(channel.models).length > 1
          ? [{ key: 'choose', label: t('test.choose'), disabled: isTesting, run: () => setChoosing(true) }]
          : []),
        ...(tellsBalance(channel.type) ? [{ key: 'balance', label: t('balance.update'), run: askBalance }] : []),
        isEnabled
          ? { key: 'disable', label: t('shared:disable'), run: () => setStatus(channelStatus.disabled) }
          : { key: 'enable', label: t('shared:enable'), run: () => setStatus(channelStatus.enabled) },
        { key: 'keys', label: t('keys.manage'), run: () => navigate(`/channel-health/${channel.id}`) },
        { key: 'copy', label: t('duplicate'), run: duplicate },
        ...tagActions,
        { key: 'delete', label: t('shared:delete'), dangerous: true, divided: true, run: askAndRemove },
      ])}
      {choosing && <TestDialog channel={channel} onClose={() => setChoosing(false)} />}
    </>
  );
}
