import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import { latestExpiry } from '@tollgate/contracts/api/common';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { FieldProps } from '../../shared/form/fields.tsx';
import { fieldErrorText } from '../../shared/form/use-zod-form.ts';
import { formatDateTime } from '../../shared/format.ts';
import { MomentField } from '../../shared/range/moment-field.tsx';

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
  const problem = (): string | undefined => {
    if (seconds > latestExpiry) return t('tooLate', { date: formatDateTime(latestExpiry).slice(0, 10) });
    return seconds >= -1 ? fieldErrorText(fieldState.error?.message) : t('dateUnread');
  };
  const hint = seconds === -1 ? t('neverExpires') : undefined;
  return (
    <div>
      <MomentField
        label={label}
        withSeconds
        value={seconds === -1 ? null : seconds}
        onChange={(next) => field.onChange(next ?? -1)}
        onBlur={field.onBlur}
        focusRef={field.ref}
        isWrong={fieldState.invalid}
        note={fieldState.invalid ? problem() : hint}
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
