import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../shared/format.ts';
import { type RangeName, rangeNames } from './time-range.ts';

interface Range {
  range: string;
  from: string;
  to: string;
}

/** Chooses a time range: one that ends now, or two moments. */
export function RangePanel({ current, onApply }: { current: Range; onApply: (range: Range) => void }) {
  const { t } = useTranslation(['logs', 'shared']);
  const [from, setFrom] = useState(inputOf(current.from));
  const [to, setTo] = useState(inputOf(current.to));
  const choose = (range: RangeName): void => onApply({ range: range === 'today' ? '' : range, from: '', to: '' });
  return (
    <Box
      component="form"
      sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, width: 300, maxWidth: '80vw' }}
      onSubmit={(event) => {
        event.preventDefault();
        onApply({ range: '', from: secondsOf(from), to: secondsOf(to) });
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
        {rangeNames.map((name) => (
          <Chip
            key={name}
            label={t(`ranges.${name}`)}
            variant={current.range === name ? 'filled' : 'outlined'}
            onClick={() => choose(name)}
          />
        ))}
      </Box>
      <TextField
        type="datetime-local"
        label={t('filters.from')}
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        slotProps={{ inputLabel: { shrink: true } }}
      />
      <TextField
        type="datetime-local"
        label={t('filters.to')}
        value={to}
        onChange={(event) => setTo(event.target.value)}
        slotProps={{ inputLabel: { shrink: true } }}
      />
      <Button type="submit" variant="contained" disabled={from === '' && to === ''}>
        {t('shared:apply')}
      </Button>
    </Box>
  );
}

function inputOf(seconds: string): string {
  return !(Number(seconds) > 0) ? '' : formatDateTime(Number(seconds)).slice(0, 16).replace(' ', 'T');
}

function secondsOf(input: string): string {
  return input === '' ? '' : String(Math.floor(new Date(input).getTime() / 1000));
}
