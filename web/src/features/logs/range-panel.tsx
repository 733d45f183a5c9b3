import { useTranslation } from 'react-i18next';
import { type ChosenRange, RangePanel as Panel } from '../../shared/range/range-panel.tsx';
import { rangeNames } from './time-range.ts';

/** Chooses a time range of the log: one that ends now, or two moments. */
export function RangePanel({ current, onApply }: { current: ChosenRange; onApply: (range: ChosenRange) => void }) {
  const { t } = useTranslation('logs');
  return (
    <Panel
      names={rangeNames}
      labelOf={(name) => t(`ranges.${name}`)}
      current={current}
      // Today is what the list shows without being asked.
      onApply={(chosen) => onApply({ ...chosen, range: chosen.range === 'today' ? '' : chosen.range })}
    />
  );
}
