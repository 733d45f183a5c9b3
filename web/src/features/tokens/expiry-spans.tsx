import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import { useTranslation } from 'react-i18next';

const spans = [
  ['hour', 3600],
  ['day', 86_400],
  ['month', 30 * 86_400],
] as const;

/** Quick choices of when a token expires, in unix seconds; -1 is never. */
export function ExpirySpans({ value, onChoose }: { value: number; onChoose: (seconds: number) => void }) {
  const { t } = useTranslation('tokens');
  return (
    <Box sx={{ display: 'flex', gap: 0.5, mt: 0.75, flexWrap: 'wrap' }}>
      <Chip label={t('spans.never')} variant={value === -1 ? 'filled' : 'outlined'} onClick={() => onChoose(-1)} />
      {spans.map(([span, length]) => (
        <Chip key={span} label={t(`spans.${span}`)} variant="outlined" onClick={() => onChoose(Math.floor(Date.now() / 1000) + length)} />
      ))}
    </Box>
  );
}
