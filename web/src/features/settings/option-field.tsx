import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import InputAdornment from '@mui/material/InputAdornment';
import MenuItem from '@mui/material/MenuItem';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { type OptionUnit, optionUnits } from '@tollgate/contracts/options/definition';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDollars } from '../../shared/format.ts';
import { languageOf } from '../../shared/language.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import type { Setting } from './api.ts';
import { type FieldProps, useLabel } from './field.ts';
import { laidOut, parsed } from './setting-text.ts';

const JsonEditor = lazyPart(async () => (await import('../../shared/ui/json-editor.tsx')).JsonEditor);

/** How much a JSON text holds; the text itself when somebody wants it. */
function JsonField({ setting, drafts }: FieldProps) {
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

const TagsField = lazyPart(async () => (await import('./tags-field.tsx')).TagsField);

/** A setting with what it is called, what it does, what is wrong with it, and the ways back. */
export function OptionField({ setting, settings, drafts }: FieldProps & { settings: readonly Setting[] }) {
  return (
    <Box data-option={setting.key} sx={{ minWidth: 0 }}>
      <Input setting={setting} drafts={drafts} />
      <Hints setting={setting} settings={settings} drafts={drafts} />
    </Box>
  );
}

function Input(props: FieldProps) {
  const { kind } = props.setting;
  if (kind === 'flag') return <FlagField {...props} />;
  if (kind === 'json') return <JsonField {...props} />;
  if (kind === 'tags') return <TagsField {...props} />;
  return <TextOption {...props} />;
}

function FlagField({ setting, drafts }: FieldProps) {
  const labelOf = useLabel();
  return (
    <FormControlLabel
      sx={{ ml: 0, gap: 1 }}
      slotProps={{ typography: { variant: 'body2' } }}
      control={
        <Switch
          checked={drafts.textOf(setting) === 'true'}
          onChange={(_event, checked) => drafts.change(setting, String(checked))}
          slotProps={{ input: { 'aria-describedby': hintsId(setting) } }}
        />
      }
      label={labelOf(setting)}
    />
  );
}

function TextOption({ setting, drafts }: FieldProps) {
  const { t, i18n } = useTranslation('settings');
  const labelOf = useLabel();
  const language = languageOf(i18n.language);
  const { kind, choices, access, isSet } = setting;
  const isSecret = access === 'secret';
  const isLong = kind === 'list' || kind === 'markup';
  const unit = setting.unit ? optionUnits[setting.unit as OptionUnit]?.[language] : undefined;
  return (
    <TextField
      label={labelOf(setting)}
      value={drafts.textOf(setting)}
      onChange={(event) => drafts.change(setting, event.target.value)}
      onBlur={() => drafts.check(setting)}
      error={drafts.faultOf(setting) !== undefined}
      select={choices !== undefined}
      multiline={isLong}
      {...(isLong && { minRows: 3, maxRows: 14 })}
      {...(isSecret && { type: 'password', placeholder: t(isSet ? 'secret.set' : 'secret.unset') })}
      slotProps={{
        inputLabel: isSecret ? { shrink: true } : {},
        htmlInput: {
          'aria-describedby': hintsId(setting),
          autoComplete: isSecret ? 'new-password' : 'off',
          spellCheck: kind === 'markup',
          ...((kind === 'number' || kind === 'integer') && { inputMode: 'decimal' }),
        },
        input: unit ? { endAdornment: <InputAdornment position="end">{unit}</InputAdornment> } : {},
      }}
    >
      {choices &&
        Object.entries(choices).map(([value, words]) => (
          <MenuItem key={value} value={value}>
            {words[language]}
          </MenuItem>
        ))}
    </TextField>
  );
}

/** What is said about a setting, one sentence after the other. */
function sentencesOf(hints: string[], language: 'en' | 'zh'): string {
  if (hints.length < 2) return hints.join('');
  const [stop, gap] = language === 'zh' ? ['。', ''] : ['.', ' '];
  return hints.map((hint) => (/[.。!！?？]$/.test(hint) ? hint : `${hint}${stop}`)).join(gap);
}

function hintsId({ key }: Setting): string {
  return `hints-${key}`;
}

/** What is wrong first; then what it does, what it needs, what a quota is worth; and the ways back. */
function Hints({ setting, settings, drafts }: FieldProps & { settings: readonly Setting[] }) {
  const { t, i18n } = useTranslation('settings');
  const labelOf = useLabel();
  const { quotaPerUnit } = useMoneyDisplay();
  const fault = drafts.faultOf(setting);
  const isChanged = drafts.isChanged(setting);
  const text = drafts.textOf(setting);
  const needed = setting.needs.flatMap((key) => settings.find((other) => other.key === key) ?? []);
  const hints = [
    setting.help?.[languageOf(i18n.language)],
    needed.length > 0 && t('needs', { names: needed.map(labelOf).join(t('listed')) }),
    setting.unit === 'quota' && setting.key !== 'QuotaPerUnit' && t('equals', { amount: formatDollars(Number(text) / quotaPerUnit) }),
  ].filter((hint) => typeof hint === 'string');
  const isAway = setting.access === 'secret' ? setting.isSet : text !== setting.default;
  const name = labelOf(setting);
  return (
    <Box id={hintsId(setting)} sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'baseline', columnGap: 1, mx: 0.25, mt: 0.5 }}>
      <FormHelperText
        error={fault !== undefined}
        component="span"
        role={fault === undefined ? undefined : 'alert'}
        sx={{ m: 0, overflowWrap: 'anywhere' }}
      >
        {fault ?? sentencesOf(hints, languageOf(i18n.language))}
      </FormHelperText>
      {isChanged && (
        <Button size="small" sx={smallButton} aria-label={t('undoOf', { name })} onClick={() => drafts.undo(setting)}>
          {t('undo')}
        </Button>
      )}
      {isAway && (
        <Button
          size="small"
          color="inherit"
          sx={smallButton}
          aria-label={t(setting.access === 'secret' ? 'secret.clearOf' : 'setDefault', { name })}
          onClick={() => drafts.change(setting, null)}
        >
          {t(setting.access === 'secret' ? 'secret.clear' : 'default')}
        </Button>
      )}
    </Box>
  );
}

const smallButton = { minHeight: 24, minWidth: 0, px: 0.5, py: 0, fontSize: 12, ml: 'auto', '& + &': { ml: 0 } };
