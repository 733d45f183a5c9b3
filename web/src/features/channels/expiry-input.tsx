import TextField from '@mui/material/TextField';
import { useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { fieldErrorText } from '../../shared/form/use-zod-form.ts';
import { formatDateTime } from '../../shared/format.ts';
import type { ChannelForm } from './channel-form.ts';

/** When a channel begins to rest: a moment, or, left empty, never. The field holds unix seconds, -1 for never. */
export function ExpiryInput({ control }: { control: ChannelForm['control'] }) {
  const { t } = useTranslation('channels');
  const { field, fieldState } = useController({ control, name: 'expired_time' });
  const seconds = Number(field.value ?? -1);
  return (
    <TextField
      type="datetime-local"
      inputRef={field.ref}
      name={field.name}
      label={t('fields.expires')}
      defaultValue={seconds > 0 ? formatDateTime(seconds).replace(' ', 'T') : ''}
      onChange={({ target: { value } }) => field.onChange(value === '' ? -1 : Math.floor(new Date(value).getTime() / 1000))}
      onBlur={field.onBlur}
      error={fieldState.invalid}
      helperText={fieldState.invalid ? fieldErrorText(fieldState.error?.message) : t('hints.expires')}
      slotProps={{ htmlInput: { step: 1, max: '9999-12-31T23:59:59' }, inputLabel: { shrink: true } }}
    />
  );
}
