import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import { useTranslation } from 'react-i18next';
import { Nothing } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { percentOf, statusKey, statusTone } from './progress.ts';

interface Shown {
  status: string;
  progress: string;
}

/** How far a task is: a bar, and the number beside it. What is no number is shown as it is. */
export function Progress({ task }: { task: Shown }) {
  const { t } = useTranslation('tasks');
  const percent = percentOf(task);
  if (percent === undefined) return task.progress === '' ? <Nothing /> : task.progress;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 112 }}>
      <LinearProgress
        variant="determinate"
        value={percent}
        color={task.status === 'FAILURE' ? 'warning' : 'primary'}
        aria-label={t('columns.progress')}
        sx={{ flex: 1, height: 4, borderRadius: 2 }}
      />
      <Box component="span" sx={{ fontVariantNumeric: 'tabular-nums', minWidth: 36, textAlign: 'right' }}>
        {Math.round(percent)}%
      </Box>
    </Box>
  );
}

export function TaskStatus({ status }: { status: string }) {
  const { t } = useTranslation('tasks');
  return <StatusTag tone={statusTone(status)} label={t(statusKey(status))} />;
}
