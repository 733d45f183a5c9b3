import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import type { ReactNode } from 'react';

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
    <Tooltip title={hint} placement="left" disableInteractive>
      <IconButton aria-label={label} onClick={run}>
        {icon}
      </IconButton>
    </Tooltip>
  );
}
