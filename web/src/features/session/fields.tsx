import VisibilityOffOutlined from '@mui/icons-material/VisibilityOffOutlined';
import VisibilityOutlined from '@mui/icons-material/VisibilityOutlined';
import FormControl from '@mui/material/FormControl';
import FormHelperText from '@mui/material/FormHelperText';
import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import InputLabel from '@mui/material/InputLabel';
import OutlinedInput, { type OutlinedInputProps } from '@mui/material/OutlinedInput';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** A password to type, which can be looked at. */
export function PasswordField({
  label,
  value,
  error,
  hint,
  autoComplete = 'current-password',
  onChange,
}: {
  label: string;
  value: string;
  error: boolean;
  hint?: string | undefined;
  autoComplete?: 'current-password' | 'new-password';
  onChange: (text: string) => void;
}) {
  const { t } = useTranslation('session');
  const [shown, setShown] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  return (
    <Field
      label={label}
      type={shown ? 'text' : 'password'}
      autoComplete={autoComplete}
      value={value}
      error={error}
      hint={capsLock ? t('capsLock') : hint}
      onChange={(event) => onChange(event.target.value)}
      onKeyUp={(event) => setCapsLock(event.getModifierState('CapsLock'))}
      endAdornment={
        <InputAdornment position="end">
          <IconButton edge="end" aria-label={shown ? t('hidePassword') : t('showPassword')} onClick={() => setShown(!shown)}>
            {shown ? <VisibilityOffOutlined fontSize="small" /> : <VisibilityOutlined fontSize="small" />}
          </IconButton>
        </InputAdornment>
      }
    />
  );
}

/** A labelled line to type in. MUI's own, `TextField`, brings the menus of its select along, which nobody needs to sign in. */
export function Field({ label, hint, ...input }: OutlinedInputProps & { label: string; hint?: string | undefined }) {
  const id = useId();
  return (
    <FormControl size="medium" fullWidth error={input.error ?? false}>
      <InputLabel htmlFor={id}>{label}</InputLabel>
      <OutlinedInput id={id} label={label} aria-describedby={hint ? `${id}-hint` : undefined} {...input} />
      {hint && <FormHelperText id={`${id}-hint`}>{hint}</FormHelperText>}
    </FormControl>
  );
}
