import TextField from '@mui/material/TextField';
import { channelStatus } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import type { Bulk } from '../../shared/ui/use-bulk.ts';
import { useBulkStatus } from '../../shared/ui/use-bulk-status.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { useDeleteChannelsMutation, usePatchChannelsMutation } from './api.ts';
import type { ChannelFilters } from './rows.ts';

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

/** Puts one tag on several channels. */
function TagDialog({ bulk, onClose, onDone }: { bulk: Bulk<ChannelFilters>; onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const [tag, setTag] = usePersistedState('new-tag', '');
  const [isMissing, setMissing] = useState(false);
  const [save, { isLoading, error }] = usePatchChannelsMutation();
  const failedLate = useLateFailure(t('setTag'));
  const undo = useUndo();
  const submit = async (): Promise<void> => {
    if (tag.trim() === '') return setMissing(true);
    const answer = await save({ ...bulk.rows, set: { tag: tag.trim() } });
    if (answer.error) return failedLate(answer.error);
    toast('success', t('tagged', { count: answer.data.data?.matched ?? 0 }), undo(answer.data));
    onDone();
  };
  return (
    <FormDialog
      title={t('setTag')}
      submit={t('shared:apply')}
      onSubmit={submit}
      onClose={onClose}
      dirty={tag !== ''}
      isBusy={isLoading}
      error={error}
    >
      <TextField
        autoFocus
        label={t('columns.tag')}
        value={tag}
        onChange={(event) => {
          setTag(event.target.value);
          setMissing(false);
        }}
        error={isMissing}
        helperText={isMissing && t('tagMissing')}
        slotProps={{ htmlInput: { maxLength: 128 } }}
      />
    </FormDialog>
  );
}
