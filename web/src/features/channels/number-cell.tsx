import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

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
  '&[aria-invalid="true"]': { borderColor: theme.vars?.palette.error.main },
  '&:focus-visible': { outline: `2px solid ${theme.vars?.palette.primary.main}`, outlineOffset: -1 },
  '@media (max-width: 767.95px)': { height: 36, width: 84, borderColor: theme.vars?.palette.divider },
}));

interface NumberCellProps {
  value: number;
  range: { min: number; max: number };
  label: string;
  onSave: (value: number) => void;
}

/**
 * A number edited where it stands: saved on leaving it or with Enter, taken back with Escape; what did not change is not sent. What
 * is out of range stays as it was typed and says why.
 */
export function NumberCell({ value, range: { min, max }, label, onSave }: NumberCellProps) {
  const [text, setText] = useState(String(value));
  const { t } = useTranslation('shared');
  const [problem, setProblem] = useState<string>();
  const show = (next: string): void => {
    setText(next);
    setProblem(undefined);
  };
  useEffect(() => {
    setText(String(value));
    setProblem(undefined);
  }, [value]);
  const problemOf = (next: number): string | undefined => {
    if (!Number.isInteger(next)) return t('form.number');
    if (next < min) return t('form.min', { min: String(min) });
    return next > max ? t('form.max', { max: String(max) }) : undefined;
  };
  const leave = (): void => {
    const next = text.trim() === '' ? value : Number(text);
    const wrong = problemOf(next);
    setProblem(wrong);
    if (wrong) return;
    if (next === value) setText(String(value));
    else onSave(next);
  };
  return (
    <Tooltip open={problem !== undefined} title={problem ?? ''} placement="bottom-end" disableInteractive>
      <Input
        type="number"
        aria-label={label}
        aria-invalid={problem !== undefined}
        value={text}
        onChange={(event) => show(event.target.value)}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
          if (event.key === 'Escape') show(String(value));
        }}
      />
    </Tooltip>
  );
}
