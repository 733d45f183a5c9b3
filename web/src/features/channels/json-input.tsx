import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { useTranslation } from 'react-i18next';
import { TextInput } from '../../shared/form/fields.tsx';
import type { ChannelForm } from './channel-form.ts';

/** A JSON text, with an example to start from. */
export function JsonInput({
  form,
  name,
  label,
  hint,
  template,
}: {
  form: ChannelForm;
  name: 'model_mapping' | 'status_code_mapping' | 'setting';
  label: string;
  hint: string;
  template: string;
}) {
  const { t } = useTranslation('channels');
  return (
    <div>
      <TextInput
        control={form.control}
        name={name}
        label={label}
        hint={hint}
        multiline
        minRows={2}
        maxRows={12}
        slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: 'ui-monospace, monospace', fontSize: 12.5 } } }}
      />
      <Box sx={{ display: 'flex', gap: 2, mt: 0.5, ml: 0.25 }}>
        <Link
          component="button"
          type="button"
          variant="caption"
          onClick={() => form.setValue(name, template, { shouldDirty: true, shouldValidate: true })}
        >
          {t('fillTemplate')}
        </Link>
      </Box>
    </div>
  );
}
