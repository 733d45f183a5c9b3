import TextField from '@mui/material/TextField';
import { useTranslation } from 'react-i18next';
import { usePersistedState } from '../../shared/form/use-kept.ts';

export interface TopUpLimits {
  /** Dollars. */
  least: number;
  /** Whether amounts are dollars, else quota. */
  asCurrency: boolean;
  quotaPerUnit: number;
}

/** An amount that somebody types, and the least that it may be. */
export function useAmount(record: string, { least: leastDollars, asCurrency, quotaPerUnit }: TopUpLimits) {
  const least = asCurrency ? leastDollars : Math.ceil(leastDollars * quotaPerUnit);
  const [text, setText] = usePersistedState(record, String(least));
  const amount = Math.max(1, Math.floor(Number(text)) || 1);
  return { text, setText, amount, least, isEnough: amount >= least };
}

interface AmountInputProps {
  asCurrency: boolean;
  amount: ReturnType<typeof useAmount>;
  /** Why it cannot be paid; whether it is enough is told here. */
  failure?: string | undefined;
}

export function AmountInput({ asCurrency, amount: { text, setText, amount, least, isEnough }, failure }: AmountInputProps) {
  const { t } = useTranslation('wallet');
  const told = isEnough ? failure : t('tooLittle', { least });
  return (
    <TextField
      label={asCurrency ? t('amountDollars') : t('amountQuota')}
      type="number"
      value={text}
      error={told !== undefined}
      helperText={told}
      onChange={(event) => setText(event.target.value)}
      // What is paid for stands in the field: whole, and at least 1.
      onBlur={() => setText(String(amount))}
      slotProps={{ htmlInput: { min: least, step: 1 }, formHelperText: { role: 'alert' } }}
    />
  );
}
