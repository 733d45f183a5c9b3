import CloseRounded from '@mui/icons-material/CloseRounded';
import ButtonBase from '@mui/material/ButtonBase';
import { styled } from '@mui/material/styles';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextFilter } from './filter-chip.tsx';

const Frame = styled('span')<{ 'data-set': boolean }>(({ theme, 'data-set': isSet }) => ({
  display: 'inline-flex',
  alignItems: 'center',
  height: 28,
  borderRadius: 14,
  border: `1px solid ${isSet ? theme.vars?.palette.primary.main : `color-mix(in srgb, ${theme.vars?.palette.text.secondary} 45%, transparent)`}`,
  background: isSet ? theme.vars?.palette.action.selected : theme.vars?.palette.background.paper,
  fontSize: 12.5,
  '&:focus-within': { outline: `2px solid ${theme.vars?.palette.primary.main}`, outlineOffset: -1 },
  '& input': {
    fieldSizing: 'content',
    minWidth: isSet ? 40 : 88,
    maxWidth: 200,
    height: '100%',
    padding: '0 10px',
    border: 0,
    outline: 'none',
    background: 'none',
    color: theme.vars?.palette.text.primary,
    font: 'inherit',
    fontWeight: isSet ? 550 : 400,
    '&::placeholder': { color: theme.vars?.palette.text.secondary, opacity: 1 },
  },
  '& svg': { fontSize: 15 },
}));

interface FilterFieldProps<Name extends string> {
  filter: TextFilter<Name>;
  value: string;
  onChange: (value: string) => void;
}

/** A filter that is typed: it filters with Enter and on leaving the field, since half a name would match nothing. */
export function FilterField<Name extends string>({ filter: { label, numeric = false }, value, onChange }: FilterFieldProps<Name>) {
  const { t } = useTranslation('shared');
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setText(value), [value]);
  const apply = (next: string): void => {
    if (next.trim() !== value) onChange(next.trim());
  };
  return (
    <Frame data-set={value !== ''}>
      {value !== '' && (
        <span aria-hidden style={{ paddingLeft: 10, whiteSpace: 'nowrap' }}>
          {label}
        </span>
      )}
      <input
        ref={field}
        value={text}
        placeholder={label}
        aria-label={label}
        autoComplete="off"
        inputMode={numeric ? 'numeric' : 'search'}
        onChange={(event) => setText(numeric ? event.target.value.replace(/\D/g, '') : event.target.value)}
        onBlur={() => apply(text)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) apply(text);
          if (event.key === 'Escape') setText(value);
        }}
      />
      {value !== '' && (
        <ButtonBase
          aria-label={t('filter.clearOne', { name: label })}
          onClick={() => {
            onChange('');
            field.current?.focus();
          }}
          sx={{ height: '100%', width: 26, ml: -0.75, borderRadius: '14px', flex: 'none' }}
        >
          <CloseRounded />
        </ButtonBase>
      )}
    </Frame>
  );
}
