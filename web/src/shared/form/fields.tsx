import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import MenuItem from '@mui/material/MenuItem';
import Switch from '@mui/material/Switch';
import TextField, { type TextFieldProps } from '@mui/material/TextField';
import type { ReactNode } from 'react';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useField } from './use-field.ts';
import { fieldErrorText } from './use-zod-form.ts';

export interface FieldProps<Values extends FieldValues> {
  // biome-ignore lint/suspicious/noExplicitAny: a form whose schema transforms has a third type, which no field needs
  control: Control<Values, any, any>;
  name: FieldPath<Values>;
  label: string;
  hint?: string | undefined;
}

type Passed = Pick<
  TextFieldProps,
  'type' | 'multiline' | 'minRows' | 'maxRows' | 'autoComplete' | 'autoFocus' | 'disabled' | 'placeholder' | 'slotProps' | 'required'
>;

/** A line of text, or several. */
export function TextInput<Values extends FieldValues>({ control, name, label, hint, ...passed }: FieldProps<Values> & Passed) {
  const { field, fieldState } = useField({ control, name });
  const { ref, value, ...rest } = field;
  return (
    <TextField
      {...passed}
      {...rest}
      inputRef={ref}
      value={value ?? ''}
      label={label}
      error={fieldState.invalid}
      helperText={fieldErrorText(fieldState.error?.message) ?? hint}
    />
  );
}

/** A whole number; an empty field is no number and says so. */
export function NumberInput<Values extends FieldValues>({ control, name, label, hint, ...passed }: FieldProps<Values> & Passed) {
  const { field, fieldState } = useField({ control, name });
  const { ref, value, onChange, ...rest } = field;
  return (
    <TextField
      {...passed}
      {...rest}
      type="number"
      inputRef={ref}
      value={Number.isFinite(value) ? value : ''}
      onChange={(event) => onChange(event.target.value === '' ? Number.NaN : Number(event.target.value))}
      label={label}
      error={fieldState.invalid}
      helperText={fieldErrorText(fieldState.error?.message) ?? hint}
    />
  );
}

/** One of a few. */
export function SelectInput<Values extends FieldValues>({
  control,
  name,
  label,
  hint,
  options,
}: FieldProps<Values> & { options: { value: string; label: ReactNode }[] }) {
  const { field, fieldState } = useField({ control, name });
  const { ref, value, ...rest } = field;
  const emptyIsChoice = options.some((option) => option.value === '');
  return (
    <TextField
      {...rest}
      select
      slotProps={emptyIsChoice ? { select: { displayEmpty: true }, inputLabel: { shrink: true } } : {}}
      inputRef={ref}
      value={value ?? ''}
      label={label}
      error={fieldState.invalid}
      helperText={fieldErrorText(fieldState.error?.message) ?? hint}
    >
      {options.map((option) => (
        <MenuItem key={option.value} value={option.value}>
          {option.label}
        </MenuItem>
      ))}
    </TextField>
  );
}

/** On or off. `on` and `off` are what the field then holds. */
export function SwitchInput<Values extends FieldValues>({
  control,
  name,
  label,
  hint,
  on = true,
  off = false,
}: FieldProps<Values> & { on?: unknown; off?: unknown }) {
  const { field } = useField({ control, name });
  return (
    <div>
      <FormControlLabel
        sx={{ ml: 0, gap: 1 }}
        slotProps={{ typography: { variant: 'body2' } }}
        control={
          <Switch
            checked={field.value === on}
            onChange={(_event, checked) => field.onChange(checked ? on : off)}
            onBlur={field.onBlur}
            slotProps={{ input: { ref: field.ref } }}
          />
        }
        label={label}
      />
      {hint && <FormHelperText sx={{ mt: 0 }}>{hint}</FormHelperText>}
    </div>
  );
}
