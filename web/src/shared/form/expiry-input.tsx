import { latestExpiry } from '@tollgate/contracts/api/common';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../format.ts';
import { MomentField } from '../range/moment-field.tsx';
import type { FieldProps } from './fields.tsx';
import { useField } from './use-field.ts';
import { fieldErrorText } from './use-zod-form.ts';

/** When something ends: a moment, or never. The field holds unix seconds, -1 for never, NaN for a date that is not whole yet. */
export function ExpiryInput<Values extends FieldValues>({ control, name, label, hint }: FieldProps<Values>) {
  const { t } = useTranslation('shared');
  const { field, fieldState } = useField({ control, name });
  const seconds: number = field.value ?? -1;
  const problem = (): string | undefined => {
    if (seconds > latestExpiry) return t('form.tooLate', { date: formatDateTime(latestExpiry).slice(0, 10) });
    return seconds >= -1 ? fieldErrorText(fieldState.error?.message) : t('form.dateUnread');
  };
  return (
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
  );
}
