import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useChoiceTexts } from '../../shared/form/choice-texts.ts';
import { namesIn } from '../../shared/format.ts';
import { type FieldProps, useLabel } from './field.ts';

/** Short entries, each a chip; one that is there already is not added. */
export function TagsField({ setting, drafts }: FieldProps) {
  const labelOf = useLabel();
  return (
    <Autocomplete
      {...useChoiceTexts()}
      multiple
      freeSolo
      // What is typed counts as entered when the field is left, say for the button that saves.
      autoSelect
      size="small"
      options={[]}
      value={namesIn(drafts.textOf(setting))}
      onChange={(_event, entries) => {
        const names = entries.flatMap((entry) => namesIn(entry));
        drafts.change(setting, [...new Set(names)].join(','));
      }}
      renderInput={(params) => <TextField {...params} label={labelOf(setting)} error={drafts.faultOf(setting) !== undefined} />}
    />
  );
}
