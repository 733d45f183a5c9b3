import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import { latestExpiry } from '@tollgate/contracts/api/common';
import { useEffect, useState } from 'react';
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

/** When something ends: a moment, or never. The field holds unix seconds, -1 for never, NaN for a date that is not whole yet. */
export function ExpiryInput<Values extends FieldValues>({ control, name, label }: FieldProps<Values>) {
  const { t } = useTranslation('tokens');
  const { field, fieldState } = useController({ control, name });
  const seconds: number = field.value;
  // What is typed stays as it is while it is no moment yet: the year 2 is on the way to 2027.
  const [text, setText] = useState(() => inputText(seconds));
  useEffect(() => {
    if (Number.isFinite(seconds)) setText((shown) => (secondsOf(shown) === seconds ? shown : inputText(seconds)));
  }, [seconds]);
  const problem = (): string | undefined => {
    if (seconds > latestExpiry) return t('tooLate', { date: formatDateTime(latestExpiry).slice(0, 10) });
    return seconds >= -1 ? fieldErrorText(fieldState.error?.message) : t('dateUnread');
  };
  const hint = seconds === -1 ? t('neverExpires') : undefined;
  return (
    <div>
      <TextField
        type="datetime-local"
        inputRef={field.ref}
        name={field.name}
        label={label}
        value={text}
        onChange={(event) => {
          const { value, validity } = event.target as HTMLInputElement;
          setText(value);
          field.onChange(validity.badInput ? Number.NaN : secondsOf(value));
        }}
        onBlur={(event) => {
          // A half-typed date has no value, and only the field itself knows that there is something in it.
          if ((event.target as HTMLInputElement).validity.badInput) field.onChange(Number.NaN);
          field.onBlur();
        }}
        error={fieldState.invalid}
        helperText={fieldState.invalid ? problem() : hint}
        slotProps={{ htmlInput: { step: 1, max: '9999-12-31T23:59:59' }, inputLabel: { shrink: true } }}
      />
      <Box sx={{ display: 'flex', gap: 0.5, mt: 0.75, flexWrap: 'wrap' }}>
        <Chip label={t('spans.never')} variant={seconds === -1 ? 'filled' : 'outlined'} onClick={() => field.onChange(-1)} />
        {spans.map(([span, length]) => (
          <Chip
            key={span}
            label={t(`spans.${span}`)}
            variant="outlined"
            onClick={() => field.onChange(Math.floor(Date.now() / 1000) + length)}
          />
        ))}
      </Box>
    </div>
  );
}

function inputText(seconds: number): string {
  return seconds === -1 || !Number.isFinite(seconds) ? '' : formatDateTime(seconds).replace(' ', 'T');
}

/** What an input's value means; an empty one is never. */
function secondsOf(text: string): number {
  return text === '' ? -1 : Math.floor(new Date(text).getTime() / 1000);
}
