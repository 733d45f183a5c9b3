import TextField from '@mui/material/TextField';
import type { ChannelKeyView, ChannelView } from '@tollgate/contracts/api/channel-views';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileButton } from '../../shared/form/file-button.tsx';
import { FormDialog } from '../../shared/form/form-dialog.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useAddKeysMutation, usePatchKeysMutation } from './keys-api.ts';

const keyText = {
  htmlInput: { spellCheck: false, autoCapitalize: 'none', style: { fontFamily: 'ui-monospace, monospace', fontSize: 12.5 } },
};

/** Adds keys to a channel, pasted or read from a file. */
export function KeysDialog({ channel, onClose }: { channel: ChannelView; onClose: () => void }) {
  const { t } = useTranslation('channels');
  const [key, setKey] = useState('');
  const [name, setName] = useState('');
  const [add, { isLoading, error }] = useAddKeysMutation();
  const send = async (): Promise<void> => {
    const { data, error: refused } = await add({ channel: channel.id, key, name });
    if (refused) return;
    toast('success', t('keys.added', { count: data }));
    onClose();
  };
  const read = async (file: File): Promise<void> => setKey(await file.text());
  return (
    <FormDialog
      title={t('keys.addTo', { name: channel.name })}
      submit={t('keys.add')}
      onSubmit={() => key.trim() !== '' && send()}
      onClose={onClose}
      dirty={key !== ''}
      isBusy={isLoading}
      error={error}
      width="sm"
    >
      <TextField
        autoFocus
        required
        multiline
        minRows={4}
        maxRows={12}
        label={t('keys.keys')}
        helperText={t('keys.paste')}
        value={key}
        onChange={(event) => setKey(event.target.value)}
        autoComplete="off"
        slotProps={keyText}
      />
      <FileButton
        label={t('keys.file')}
        accept=".txt,.json,.csv,text/plain,application/json"
        onFile={(file) => void read(file)}
        size="small"
        sx={{ alignSelf: 'flex-start' }}
      >
        {t('keys.file')}
      </FileButton>
      <TextField label={t('keys.name')} helperText={t('keys.nameHint')} value={name} onChange={(event) => setName(event.target.value)} />
    </FormDialog>
  );
}

interface KeyDialogProps {
  channelId: number;
  of: ChannelKeyView;
  field: 'name' | 'key';
  onClose: () => void;
}

/** Another name, or another key in the place of one. */
export function KeyDialog({ channelId: channel, of: { id, name }, field, onClose }: KeyDialogProps) {
  const { t } = useTranslation(['channels', 'shared']);
  const [value, setValue] = useState(field === 'name' ? name : '');
  const [patch, { isLoading, error }] = usePatchKeysMutation();
  const isKey = field === 'key';
  const send = async (): Promise<void> => {
    const { error: refused } = await patch({ channel, ids: [id], set: isKey ? { key: value } : { name: value } });
    if (refused) return;
    toast('success', t('keys.saved', { name: `#${id}` }));
    onClose();
  };
  return (
    <FormDialog
      title={t(isKey ? 'keys.replaceOne' : 'keys.renameOne', { name: `#${id}` })}
      submit={isKey ? t('keys.replace') : t('shared:save')}
      onSubmit={() => (!isKey || value.trim() !== '') && send()}
      onClose={onClose}
      dirty={value !== (isKey ? '' : name)}
      isBusy={isLoading}
      error={error}
    >
      <TextField
        autoFocus
        multiline={isKey}
        maxRows={8}
        label={isKey ? t('fields.key') : t('keys.name')}
        {...(isKey && { helperText: t('keys.replaceHint'), slotProps: keyText })}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        autoComplete="off"
      />
    </FormDialog>
  );
}
