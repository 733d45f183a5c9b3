import { styled } from '@mui/material/styles';
import { useEffect, useState } from 'react';

const Input = styled('input')(({ theme }) => ({
  width: 52,
  verticalAlign: 'middle',
  height: 24,
  font: 'inherit',
  fontVariantNumeric: 'tabular-nums',
  textAlign: 'right',
  color: 'inherit',
  background: 'transparent',
  border: '1px solid transparent',
  borderRadius: 4,
  paddingInline: 6,
  appearance: 'textfield',
  '&::-webkit-inner-spin-button': { display: 'none' },
  'tr:hover &, &:focus': {
    borderColor: `color-mix(in srgb, ${theme.vars?.palette.text.secondary} 40%, transparent)`,
    background: theme.vars?.palette.background.paper,
  },
  '&:focus-visible': { outline: `2px solid ${theme.vars?.palette.primary.main}`, outlineOffset: -1 },
  '@media (max-width: 767.95px)': { height: 36, width: 84, borderColor: theme.vars?.palette.divider },
}));

/** A number edited where it stands: saved on leaving it or with Enter, taken back with Escape; what did not change is not sent. */
export function NumberCell({ value, min, label, onSave }: { value: number; min: number; label: string; onSave: (value: number) => void }) {
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const leave = (): void => {
    const next = Math.max(min, Math.trunc(Number(text)));
    if (text.trim() === '' || !Number.isFinite(next) || next === value) setText(String(value));
    else onSave(next);
  };
  return (
    <Input
      type="number"
      aria-label={label}
      value={text}
      min={min}
      onChange={(event) => setText(event.target.value)}
      onBlur={leave}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') setText(String(value));
      }}
    />
  );
}
