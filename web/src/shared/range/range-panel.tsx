import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MomentField } from './moment-field.tsx';
import { secondsIn } from './time-range.ts';

export interface ChosenRange<Name extends string = string> {
  range: Name | '';
  /** Unix seconds as texts. */
  from: string;
  to: string;
}

interface RangePanelProps<Name extends string> {
  names: readonly Name[];
  labelOf: (name: Name) => string;
  current: ChosenRange;
  onApply: (range: ChosenRange<Name>) => void;
}

/** Chooses a time range: one that ends now, or two moments. */
export function RangePanel<Name extends string>({ names, labelOf, current, onApply }: RangePanelProps<Name>) {
  const { t } = useTranslation('shared');
  const [from, setFrom] = useState(() => secondsIn(current.from) || null);
  const [to, setTo] = useState(() => secondsIn(current.to) || null);
  const isReversed = from !== null && to !== null && from > to;
  const isWhole = (from !== null || to !== null) && !Number.isNaN(from) && !Number.isNaN(to);
  return (
    <Box
      component="form"
      sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, width: 300, maxWidth: '80vw' }}
      onSubmit={(event) => {
        event.preventDefault();
        onApply({ range: '', from: from ? String(from) : '', to: to ? String(to) : '' });
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
        {names.map((name) => (
          <Chip
            key={name}
            label={labelOf(name)}
            variant={current.range === name ? 'filled' : 'outlined'}
            aria-pressed={current.range === name}
            onClick={() => onApply({ range: name, from: '', to: '' })}
          />
        ))}
      </Box>
      <MomentField label={t('range.from')} value={from} onChange={setFrom} />
      <MomentField
        label={t('range.to')}
        value={to}
        onChange={setTo}
        isWrong={isReversed}
        note={isReversed ? t('range.reversed') : undefined}
      />
      <Button type="submit" variant="contained" disabled={!isWhole || isReversed}>
        {t('apply')}
      </Button>
    </Box>
  );
}
