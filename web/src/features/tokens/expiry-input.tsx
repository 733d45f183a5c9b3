import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { FieldProps } from '../../shared/form/fields.tsx';
import { fieldErrorText } from '../../shared/form/use-zod-form.ts';
import { formatDateTime } from '../../shared/format.ts';

const spans = [
  ['hour', 3600],
  ['day', 86_400],
  ['month', 30 * 86_400],
] as const;

/** When something ends: a moment, or never. The field holds unix seconds, -1 for never. */
export function ExpiryInput<Values extends FieldValues>({ control, name, label }: FieldProps<Values>) {
  const { t } = useTranslation('tokens');
  const { field, fieldState } = useController({ control, name });
  const never = field.value === -1;
  return (
    <div>
      <TextField
        type="datetime-local"
        inputRef={field.ref}
        name={field.name}
        label={label}
        value={never || !Number.isFinite(field.value) ? '' : formatDateTime(field.value).replace(' ', 'T')}
        onChange={(event) => {
          const ms = new Date(event.target.value).getTime();
          field.onChange(event.target.value === '' ? -1 : Math.floor(ms / 1000));
        }}
        onBlur={field.onBlur}
        error={fieldState.invalid}
        helperText={fieldErrorText(fieldState.error?.message) ?? (never ? t('neverExpires') : undefined)}
        slotProps={{ htmlInput: { step: 1 }, inputLabel: { shrink: true } }}
      />
      <Box sx={{ display: 'flex', gap: 0.5, mt: 0.75, flexWrap: 'wrap' }}>
        <Chip label={t('spans.never')} variant={never ? 'filled' : 'outlined'} onClick={() => field.onChange(-1)} />
        {spans.map(([span, seconds]) => (
          <Chip
            key={span}
            label={t(`spans.${span}`)}
            variant="outlined"
            onClick={() => field.onChange(Math.floor(Date.now() / 1000) + seconds)}
          />
        ))}
      </Box>
    </div>
  );
}
