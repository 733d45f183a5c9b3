import LinearProgress from '@mui/material/LinearProgress';

interface UsedBarProps {
  percent: number;
  label: string;
  /** The percentage from which the bar warns; by default it turns red at 100 only. */
  warnsAt?: number;
}

/** How much of an amount is used. */
export function UsedBar({ percent, label, warnsAt = 100 }: UsedBarProps) {
  return <LinearProgress variant="determinate" value={Math.min(100, percent)} color={colorOf(percent, warnsAt)} aria-label={label} />;
}

function colorOf(percent: number, warnsAt: number): 'success' | 'warning' | 'error' {
  if (percent >= 100) return 'error';
  return percent >= warnsAt ? 'warning' : 'success';
}
