import Autocomplete from '@mui/material/Autocomplete';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { namesIn } from '../format.ts';
import { useChoiceTexts } from './choice-texts.ts';
import type { FieldProps } from './fields.tsx';
import { useField } from './use-field.ts';
import { fieldErrorText } from './use-zod-form.ts';

interface NamesInputProps {
  options: string[];
  disabled?: boolean;
  /** Whether names besides the options may be typed. */
  free?: boolean;
  /** Called when a name that is chosen already is added again; it is not added twice. */
  onDuplicate?: () => void;
}

/**
 * Names to choose or to type: what is typed becomes a chip with Enter, a comma, or on leaving the field. A pasted list, comma or
 * line separated, becomes one chip a name. The field holds a comma list. Enter never submits the form around it.
 */
export function NamesInput<Values extends FieldValues>({
  control,
  name,
  label,
  hint,
  options,
  disabled = false,
  free = true,
  onDuplicate,
}: FieldProps<Values> & NamesInputProps) {
  const { field, fieldState } = useField({ control, name });
  const [typed, setTyped] = useState('');
  const chosen = namesIn(field.value);
  const set = (names: string[]): void => field.onChange(distinct(names).join(','));
  const add = (text: string): void => {
    setTyped('');
    const names = distinct([text]);
    if (names.some((each) => chosen.includes(each))) onDuplicate?.();
    if (names.length > 0) set([...chosen, ...names]);
  };
  return (
    <Autocomplete
      {...useChoiceTexts()}
      multiple
      freeSolo={free}
      disableCloseOnSelect
      autoSelect={false}
      filterSelectedOptions
      limitTags={shownAtRest}
      getLimitTagsText={() => `+${chosen.length - shownAtRest}`}
      size="small"
      disabled={disabled}
      options={options}
      value={chosen}
      onChange={(_event, names) => set(names)}
      inputValue={typed}
      onInputChange={(_event, text) => (free && /[,，]/.test(text) ? add(text) : setTyped(text))}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        // It adds a name; with an empty field it would submit the form, as after a pasted list.
        event.preventDefault();
        const takesOption = (event.target as HTMLElement).hasAttribute('aria-activedescendant');
        // Autocomplete silently drops a name that is chosen already.
        if (free && !takesOption && chosen.includes(typed.trim())) onDuplicate?.();
      }}
      onBlur={() => {
        if (free) add(typed);
        field.onBlur();
      }}
      slotProps={{ listbox: { sx: { fontSize: 13, maxHeight: 280 } } }}
      renderValue={(names, itemProps) =>
        names.slice(0, mostChips).map((text, index) => {
          const { key, ...rest } = itemProps({ index });
          const label = index === mostChips - 1 && names.length > mostChips ? `${text} +${names.length - mostChips}` : text;
          return <Chip key={key} label={label} {...rest} />;
        })
      }
      renderInput={(params) => (
        <TextField
          {...params}
          inputRef={field.ref}
          label={label}
          error={fieldState.invalid}
          helperText={fieldErrorText(fieldState.error?.message) ?? hint}
          onPaste={(event) => {
            const names = event.clipboardData
              .getData('text')
              .split(/[,\s]+/)
              .filter(Boolean);
            if (!free || names.length < 2) return;
            event.preventDefault();
            add(names.join(','));
          }}
        />
      )}
    />
  );
}

/** Hundreds of them would hold up the page; the first ones say what kind they are, and the last one how many are left out. */
const mostChips = 40;
const shownAtRest = 12;

function distinct(names: string[]): string[] {
  return [...new Set(names.flatMap((text) => text.split(/[,，\n]/)).map((text) => text.trim()))].filter(Boolean);
}
