import { channelStatus } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useDeleteChannelsMutation, usePatchChannelMutation } from './api.ts';
import { TagDialog } from './tag-dialog.tsx';

/** What can be done with several channels at once. */
export function ChannelBulkBar({ ids, onDone }: { ids: number[]; onDone: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const confirm = useConfirm();
  const [patch] = usePatchChannelMutation();
  const [removeMany] = useDeleteChannelsMutation();
  const [tagging, setTagging] = useState(false);

  const setStatus = async (status: 1 | 2): Promise<void> => {
    const failures = (await Promise.all(ids.map((id) => patch({ id, status })))).flatMap(({ error }) => (error ? [messageOf(error)] : []));
    for (const text of new Set(failures)) toast('error', text);
    onDone();
  };
  const askAndRemove = async (): Promise<void> => {
    const title = t('deleteManyTitle', { count: ids.length });
    if (!(await confirm({ title, text: t('deleteText'), action: t('shared:delete'), dangerous: true, typed: String(ids.length) }))) return;
    const { data, error } = await removeMany(ids);
    if (error) return toast('error', messageOf(error));
    toast('success', t('deleted', { count: data }));
    onDone();
  };

  return (
    <>
      <BulkBar
        count={ids.length}
        onClear={onDone}
        actions={[
          { key: 'enable', label: t('shared:enable'), run: () => setStatus(channelStatus.enabled) },
          { key: 'disable', label: t('shared:disable'), run: () => setStatus(channelStatus.disabled) },
          { key: 'tag', label: t('setTag'), run: () => setTagging(true) },
          { key: 'delete', label: t('shared:delete'), run: askAndRemove, dangerous: true },
        ]}
      />
      {tagging && (
        <TagDialog
          ids={ids}
          onClose={() => setTagging(false)}
          onDone={() => {
            setTagging(false);
            onDone();
          }}
        />
      )}
    </>
  );
}
