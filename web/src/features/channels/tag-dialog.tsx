import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { useKept } from '../../shared/form/use-kept.ts';
import { useLateFailure } from '../../shared/form/use-late-failure.ts';
import { toast } from '../../shared/ui/toasts.ts';
import type { Bulk } from '../../shared/ui/use-bulk.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { usePatchChannelsMutation } from './api.ts';
import type { ChannelFilters } from './rows.ts';

/** Puts one tag on several channels. */
export function TagDialog({ bulk, onClose, onDone }: { bulk: Bulk<ChannelFilters>; onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation(['channels', 'shared']);
  const [tag, setTag] = useKept('new-tag', '');
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
