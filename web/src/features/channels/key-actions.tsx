import type { ChannelKeyView } from '@tollgate/contracts/api/channel-views';
import { channelStatus } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatSeconds } from '../../shared/format.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { type DrawMenu, RowMenu } from '../../shared/ui/row-menu.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useDeleteKeysMutation, usePatchKeysMutation, useTestKeyMutation } from './keys-api.ts';

const KeyDialog = lazyPart(async () => (await import('./keys-dialog.tsx')).KeyDialog);

interface KeyActionsProps {
  channelId: number;
  of: ChannelKeyView;
  /** It stays: a channel needs a key. */
  isOnly: boolean;
}

export function KeyActions(props: KeyActionsProps) {
  const { t } = useTranslation(['channels', 'shared']);
  return (
    <RowMenu label={`${t('shared:table.more')}: #${props.of.id} ${props.of.name}`}>{(menu) => <Deeds {...props} menu={menu} />}</RowMenu>
  );
}

function Deeds({ channelId: channel, of: key, isOnly, menu }: KeyActionsProps & { menu: DrawMenu }) {
  const { t } = useTranslation(['channels', 'shared']);
  const confirm = useConfirm();
  const [patch] = usePatchKeysMutation();
  const [remove] = useDeleteKeysMutation();
  const [test, { isLoading: isTesting }] = useTestKeyMutation();
  const [editing, setEditing] = useState<'name' | 'key'>();
  const name = `#${key.id} ${key.name}`.trim();
  const isEnabled = key.status === channelStatus.enabled;

  const setStatus = async (status: 1 | 2): Promise<void> => {
    const { error } = await patch({ channel, ids: [key.id], set: { status } });
    if (error) toast('error', messageOf(error));
    else toast('success', t(status === channelStatus.enabled ? 'keys.nowEnabled' : 'keys.nowDisabled', { name }));
  };
  const runTest = async (): Promise<void> => {
    const { data, error } = await test({ channel, id: key.id });
    if (error) toast('error', t('test.failed', { name, reason: messageOf(error) }));
    else toast('success', t('test.passed', { name, time: formatSeconds(data.time) }));
  };
  const askAndRemove = async (): Promise<void> => {
    const agreed = await confirm({
      title: t('keys.deleteTitle', { name }),
      text: t('keys.deleteText'),
      action: t('shared:delete'),
      dangerous: true,
    });
    if (!agreed) return;
    const { error } = await remove({ channel, ids: [key.id] });
    if (error) toast('error', messageOf(error));
    else toast('success', t('keys.deleted', { name }));
  };

  return (
    <>
      {menu([
        { key: 'test', label: t('test.run'), disabled: isTesting, run: runTest },
        isEnabled
          ? { key: 'disable', label: t('shared:disable'), run: () => setStatus(channelStatus.disabled) }
          : { key: 'enable', label: t('shared:enable'), run: () => setStatus(channelStatus.enabled) },
        { key: 'rename', label: t('keys.rename'), run: () => setEditing('name') },
        { key: 'replace', label: t('keys.replace'), run: () => setEditing('key') },
        { key: 'delete', label: t('shared:delete'), dangerous: true, divided: true, disabled: isOnly, run: askAndRemove },
      ])}
      {editing && <KeyDialog channelId={channel} of={key} field={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}
