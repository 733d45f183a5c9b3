import { channelStatus } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import type { Bulk } from '../../shared/ui/use-bulk.ts';
import { useBulkStatus } from '../../shared/ui/use-bulk-status.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useDeleteChannelsMutation, usePatchChannelsMutation } from './api.ts';
import type { ChannelFilters } from './rows.ts';
import { TagDialog } from './tag-dialog.tsx';

/** What can be done with several channels at once. */
export function ChannelBulkBar({ bulk }: { bulk: Bulk<ChannelFilters> }) {
  const { t } = useTranslation(['channels', 'shared']);
  const confirm = useConfirm();
  const [patch] = usePatchChannelsMutation();
  const [removeMany] = useDeleteChannelsMutation();
  const [tagging, setTagging] = useState(false);
  const undo = useUndo();

  const ids = 'ids' in bulk.rows ? bulk.rows.ids : [];
  const setStatus = useBulkStatus({
    bulk,
    patch,
    said: (status, count) => t(status === channelStatus.enabled ? 'manyEnabled' : 'manyDisabled', { count }),
  });
  const untag = async (): Promise<void> => {
    const { data, error } = await patch({ ...bulk.rows, set: { tag: '' } });
    if (error) return toast('error', messageOf(error));
    toast('success', t('untaggedMany', { count: data.data?.matched ?? 0 }), undo(data));
    bulk.clear();
  };
  const askAndRemove = async (): Promise<void> => {
    const title = t('deleteManyTitle', { count: ids.length });
    if (!(await confirm({ title, text: t('deleteText'), action: t('shared:delete'), dangerous: true, typed: String(ids.length) }))) return;
    const { data, error } = await removeMany(ids);
    if (error) return toast('error', messageOf(error));
    toast('success', t('deleted', { count: data.data ?? 0 }), undo(data));
    bulk.clear();
  };

  return (
    <>
      <BulkBar
        count={bulk.count}
        onClear={bulk.clear}
        actions={[
          ...(bulk.takeAll ? [bulk.takeAll(t('selectMatching'))] : []),
          { key: 'enable', label: t('shared:enable'), run: () => setStatus(channelStatus.enabled) },
          { key: 'disable', label: t('shared:disable'), run: () => setStatus(channelStatus.disabled) },
          { key: 'tag', label: t('setTag'), run: () => setTagging(true) },
          { key: 'untag', label: t('removeTag'), run: untag },
          { key: 'delete', label: t('shared:delete'), run: askAndRemove, dangerous: true, disabled: ids.length === 0 },
        ]}
      />
      {tagging && (
        <TagDialog
          bulk={bulk}
          onClose={() => setTagging(false)}
          onDone={() => {
            setTagging(false);
            bulk.clear();
          }}
        />
      )}
    </>
  );
}
