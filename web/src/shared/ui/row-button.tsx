import type { ReactNode } from 'react';
import { hint as hintOf } from './hint.tsx';

interface RowButtonProps {
  /** What it does, and to which row; `hint` leaves the row out, which is in sight. */
  label: string;
  hint: string;
  icon: ReactNode;
  run: () => void;
}

/** A deed in a row. Its hint stands beside it: below or above it would lie on the buttons of other rows. */
export function RowButton({ label, hint, icon, run }: RowButtonProps) {
  return (
    <button type="button" className="icon-button" aria-label={label} onClick={run} {...hintOf(hint)}>
      {icon}
    </button>
  );
}
