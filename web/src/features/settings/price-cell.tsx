import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { numberIn } from './price-rows.ts';

interface PriceCellProps {
  label: string;
  value: number | undefined;
  disabled: boolean;
  onChange: (value: number | undefined) => void;
}

/** A number of one model, or none; taken over when the field is left. What is no number stays, and says so. */
export function PriceCell({ label, value, disabled, onChange }: PriceCellProps) {
  const { t } = useTranslation('settings');
  const [typed, setTyped] = useState<string>();
  const text = typed ?? (value === undefined ? '' : String(value));
  const isWrong = Number.isNaN(numberIn(text) ?? 0);
  return (
    <TextField
      value={text}
      disabled={disabled}
      error={isWrong}
      helperText={isWrong ? t('prices.number') : undefined}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => {
        const next = numberIn(text);
        if (Number.isNaN(next ?? 0)) return;
        setTyped(undefined);
        if (next !== value) onChange(next);
      }}
      slotProps={{ htmlInput: { 'aria-label': label, inputMode: 'decimal', autoComplete: 'off' } }}
    />
  );
}
