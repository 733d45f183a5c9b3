import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import { formatQuota } from '../format.ts';
import { useMoneyDisplay } from '../site.ts';

/** Amounts of quota to choose by a touch, below the field that takes any. */
export function AmountChips({
  amounts,
  chosen,
  onChoose,
}: {
  amounts: readonly number[];
  chosen: number | undefined;
  onChoose: (amount: number) => void;
}) {
  const display = useMoneyDisplay();
  return (
    <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap', mt: 0.75 }}>
      {amounts.map((amount) => (
        <Chip
          key={amount}
          variant={amount === chosen ? 'filled' : 'outlined'}
          label={formatQuota(amount, display)}
          onClick={() => onChoose(amount)}
        />
      ))}
    </Box>
  );
}
