import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Skeleton from '@mui/material/Skeleton';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../ui/lazy-part.tsx';
import { secondsIn } from './time-range.ts';

const MomentInputs = lazyPart(async () => (await import('./moment-inputs.tsx')).MomentInputs, { suspends: true });

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
  const [from, setFrom] = useState(secondsIn(current.from));
  const [to, setTo] = useState(secondsIn(current.to));
  const isReversed = from > 0 && to > 0 && from > to;
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
      <Suspense fallback={<Skeleton variant="rounded" height={92} />}>
        <MomentInputs from={from} to={to} onFrom={setFrom} onTo={setTo} isReversed={isReversed} />
      </Suspense>
      <Button type="submit" variant="contained" disabled={(from === 0 && to === 0) || isReversed}>
        {t('apply')}
      </Button>
    </Box>
  );
}
