import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { type FieldProps, useLabel } from './field.ts';
import { laidOut, parsed } from './setting-text.ts';

const JsonEditor = lazyPart(async () => (await import('../../shared/ui/json-editor.tsx')).JsonEditor);

/** How much a JSON text holds; the text itself when somebody wants it. */
export function JsonField({ setting, drafts }: FieldProps) {
  const { t } = useTranslation('settings');
  const labelOf = useLabel();
  const [isOpen, setOpen] = useState(false);
  const editorId = useId();
  const text = drafts.textOf(setting);
  const value = parsed(text);
  const count = typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
  const name = labelOf(setting);
  return (
    <Box>
      <Box sx={{ display: 'flex', alignItems: 'baseline', gap: 1, flexWrap: 'wrap' }}>
        <Typography variant="h3" component="h3">
          {name}
        </Typography>
        <Typography variant="body2" color="textSecondary">
          {count === undefined ? t('json.unreadable') : t('json.entries', { count })}
        </Typography>
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          sx={{ ml: 'auto' }}
          aria-expanded={isOpen}
          aria-controls={isOpen ? editorId : undefined}
          aria-label={t(isOpen ? 'json.closeOf' : 'json.editOf', { name })}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? 'json.close' : 'json.edit')}
        </Button>
      </Box>
      {isOpen && (
        <Box id={editorId} sx={{ mt: 0.75 }}>
          <JsonEditor
            label={name}
            // A stored text is often one long line; what is being typed stays as it is.
            value={text === setting.value || text === setting.default ? laidOut(setting, text) : text}
            onChange={(next) => drafts.change(setting, next)}
            onBlur={() => drafts.check(setting)}
            isWrong={drafts.faultOf(setting) !== undefined}
          />
        </Box>
      )}
    </Box>
  );
}
