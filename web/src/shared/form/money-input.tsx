import InputAdornment from '@mui/material/InputAdornment';
import TextField from '@mui/material/TextField';
import i18next from 'i18next';
import { useEffect, useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { isAmbiguous, otherForm, parseQuota, quotaInput } from '../money.ts';
import { useMoneyDisplay } from '../site.ts';
import { AmountChips } from './amount-chips.tsx';
import type { FieldProps } from './fields.tsx';
import { useField } from './use-field.ts';
import { fieldErrorText } from './use-zod-form.ts';

/** Why a text is no amount, and what to type instead. */
function unreadText(text: string): string {
  const t = i18next.getFixedT(null, 'shared');
  if (text.trim() === '') return t('form.required');
  if (!isAmbiguous(text)) return t('money.unread');
  return t('money.ambiguous', { thousands: text.trim().replace('.', ''), decimals: `${text.trim()}0` });
}

/**
 * An amount of money. The field holds integer quota; people see and type the site's unit, `$2` or `1.5k`, with the other
 * form beside it. Presets are in dollars.
 */
export function MoneyInput<Values extends FieldValues>({
  control,
  name,
  label,
  hint,
  presets = [],
  disabled = false,
  autoFocus = false,
}: FieldProps<Values> & { presets?: number[]; disabled?: boolean; autoFocus?: boolean }) {
  const { t } = useTranslation('shared');
  const display = useMoneyDisplay();
  const { field, fieldState, formState } = useField({ control, name });
  const quota: number = field.value;
  const [text, setText] = useState(() => (Number.isFinite(quota) ? quotaInput(quota, display) : ''));
  // The value may change from outside, and the site's unit may arrive after the first paint.
  useEffect(() => {
    if (!Number.isFinite(quota)) return;
    setText((shown) => (parseQuota(shown, display) === quota ? shown : quotaInput(quota, display)));
  }, [quota, display]);
  // Nobody can mend what cannot be typed in: a disabled field goes back to what it began with.
  useEffect(() => {
    if (!disabled || Number.isFinite(quota)) return;
    const first = Number(formState.defaultValues?.[name] ?? 0);
    field.onChange(first);
    setText(quotaInput(first, display));
  }, [disabled, quota, display, field.onChange, formState.defaultValues, name]);
  const unread = Number.isFinite(quota) ? undefined : unreadText(text);
  const other = Number.isFinite(quota)
    ? t(display.asCurrency ? 'money.inQuota' : 'money.inDollars', { amount: otherForm(quota, display) })
    : undefined;
  return (
    <div>
      <TextField
        autoFocus={autoFocus}
        inputRef={field.ref}
        name={field.name}
        label={label}
        value={text}
        disabled={disabled}
        error={fieldState.invalid}
        helperText={fieldState.invalid ? (unread ?? fieldErrorText(fieldState.error?.message)) : hint}
        onChange={(event) => {
          setText(event.target.value);
          field.onChange(parseQuota(event.target.value, display) ?? Number.NaN);
        }}
        onBlur={field.onBlur}
        slotProps={{
          htmlInput: { inputMode: 'decimal', autoComplete: 'off' },
          input: {
            startAdornment: display.asCurrency && <InputAdornment position="start">$</InputAdornment>,
            endAdornment: other && (
              <InputAdornment position="end" sx={{ '& p': { fontSize: 12 } }} aria-live="polite">
                {other}
              </InputAdornment>
            ),
          },
        }}
      />
      {presets.length > 0 && !disabled && (
        <AmountChips
          amounts={presets.map((dollars) => Math.round(dollars * display.quotaPerUnit))}
          chosen={quota}
          onChoose={(amount) => field.onChange(amount)}
        />
      )}
    </div>
  );
}
