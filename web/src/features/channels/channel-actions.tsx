import EditOutlined from '@mui/icons-material/EditOutlined';
import type { ChannelView } from '@tollgate/contracts/api/channel';
import { channelStatus } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatChannelBalance, formatSeconds, namesIn } from '../../shared/format.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { RowMenu } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useCopyChannelMutation, useDeleteChannelMutation, usePatchChannelMutation, useUpdateBalanceMutation } from './api.ts';
import { useChannelTest } from './use-channel-test.ts';
import { useChannelTypes } from './use-channel-types.ts';
import { useTagActions } from './use-tag-actions.ts';

const TestDialog = lazyPart(async () => (await import('./test-dialog.tsx')).TestDialog);

/** What can be done with one channel. */
export function ChannelActions({ channel, onEdit }: { channel: ChannelView; onEdit: (id: number) => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const confirm = useConfirm();
  const { tellsBalance } = useChannelTypes();
  const [patch] = usePatchChannelMutation();
  const [copy] = useCopyChannelMutation();
  const [remove] = useDeleteChannelMutation();
  const [updateBalance] = useUpdateBalanceMutation();
  const [test, isTesting] = useChannelTest(channel.id);
  const [choosing, setChoosing] = useState(false);
  const tagActions = useTagActions(channel.tag);
  const isEnabled = channel.status === channelStatus.enabled;

  const setStatus = async (status: 1 | 2, undone = false): Promise<void> => {
    const { error } = await patch({ id: channel.id, status });
    if (error) return toast('error', messageOf(error), { label: t('shared:retry'), run: () => setStatus(status) });
    const back = status === channelStatus.enabled ? channelStatus.disabled : channelStatus.enabled;
    const text = status === channelStatus.enabled ? t('nowEnabled', { name: channel.name }) : t('nowDisabled', { name: channel.name });
    if (!undone) toast('info', text, { label: t('shared:undo'), run: () => setStatus(back, true) });
  };
  const runTest = async (): Promise<void> => {
    const { data, error } = await test();
    if (error) toast('error', t('test.failed', { name: channel.name, reason: messageOf(error) }));
    else toast('success', t('test.passed', { name: channel.name, time: formatSeconds(data.time) }));
  };
  const askBalance = async (): Promise<void> => {
    const { data, error } = await updateBalance(channel.id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('balance.updated', { name: channel.name, amount: formatChannelBalance(data.balance) }));
  };
  const duplicate = async (): Promise<void> => {
    const { data, error } = await copy(channel.id);
    if (error) toast('error', t('copyFailed', { reason: messageOf(error) }));
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
    const { error } = await remove(channel.id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('deleted', { count: 1 }));
  };

  return (
    <>
      <RowButton
        label={t('editOne', { name: channel.name })}
        hint={t('shared:edit')}
        icon={<EditOutlined fontSize="inherit" />}
        run={() => onEdit(channel.id)}
      />
      <RowMenu
        label={`${t('shared:table.more')}: ${channel.name}`}
        actions={[
          { key: 'test', label: t('test.run'), disabled: isTesting, run: runTest },
          ...(namesIn(channel.models).length > 1
            ? [{ key: 'choose', label: t('test.choose'), disabled: isTesting, run: () => setChoosing(true) }]
            : []),
          ...(tellsBalance(channel.type) ? [{ key: 'balance', label: t('balance.update'), run: askBalance }] : []),
          isEnabled
            ? { key: 'disable', label: t('shared:disable'), run: () => setStatus(channelStatus.disabled) }
            : { key: 'enable', label: t('shared:enable'), run: () => setStatus(channelStatus.enabled) },
          { key: 'copy', label: t('duplicate'), run: duplicate },
          ...tagActions,
          { key: 'delete', label: t('shared:delete'), dangerous: true, divided: true, run: askAndRemove },
        ]}
      />
      {choosing && <TestDialog channel={channel} onClose={() => setChoosing(false)} />}
    </>
  );
}
