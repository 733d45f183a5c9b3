import { type ChosenRange, RangePanel } from '../../shared/range/range-panel.tsx';
import { type RangeName, rangeNames } from './task-range.ts';

interface TaskRangePanelProps {
  current: ChosenRange;
  labelOf: (name: RangeName) => string;
  onApply: (range: ChosenRange<RangeName>) => void;
}

export function TaskRangePanel(props: TaskRangePanelProps) {
  return <RangePanel names={rangeNames} {...props} />;
}
