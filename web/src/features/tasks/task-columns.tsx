import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import type { DrawingView, TaskView } from '@tollgate/contracts/api/task';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatSeconds } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { CopyButton } from '../../shared/ui/copy.tsx';
import { Nothing } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { actionKey, percentOf, statusKey, statusTone } from './progress.ts';

type Task = DrawingView | TaskView;
type Texts = TFunction<'tasks'>;
type ForAll<Row> = Column<Row> & { admin?: boolean };

/** What both lists show. `unit`: of the times of their rows, in a second. */
export function taskColumns<Row extends Task>(t: Texts, unit: 1 | 1000, idOf: (row: Row) => string): Record<string, ForAll<Row>> {
  const moment = (time: number): string => (time > 0 ? formatDateTime(Math.floor(time / unit)) : '');
  const seconds = ({ submit_time: from, finish_time: to }: Row): number | undefined =>
    from > 0 && to > 0 ? Math.max(0, (to - from) / unit) : undefined;
  return {
    submitted: {
      id: 'submitted',
      header: t('columns.submitted'),
      primary: true,
      value: (row) => moment(row.submit_time),
      exported: { as: 'time', of: (row) => (row.submit_time > 0 ? row.submit_time / unit : '') },
      cell: (row) => moment(row.submit_time),
    },
    ended: {
      id: 'ended',
      needs: 'middle',
      header: t('columns.ended'),
      value: (row) => moment(row.finish_time),
      exported: { as: 'time', of: (row) => (row.finish_time > 0 ? row.finish_time / unit : '') },
      cell: (row) => moment(row.finish_time) || <Nothing />,
    },
    duration: {
      id: 'duration',
      header: t('columns.duration'),
      align: 'right',
      value: seconds,
      cell: (row) => {
        const taken = seconds(row);
        return taken === undefined ? <Nothing /> : formatSeconds(taken);
      },
    },
    channel: { id: 'channel', header: t('columns.channel'), admin: true, value: (row) => row.channel_id, cell: (row) => row.channel_id },
    user: {
      id: 'user',
      phone: 'bare',
      header: t('columns.user'),
      admin: true,
      value: (row) => row.username,
      cell: (row) => row.username || `#${row.user_id}`,
    },
    action: {
      id: 'action',
      phone: 'bare',
      header: t('columns.action'),
      value: (row) => row.action,
      cell: (row) => t(actionKey(row.action), { action: row.action }),
    },
    taskId: {
      id: 'taskId',
      needs: 'wide',
      header: t('columns.taskId'),
      value: idOf,
      cell: (row) =>
        idOf(row) === '' ? (
          <Nothing />
        ) : (
          <>
            <code>{shortId(idOf(row))}</code>
            <CopyButton text={idOf(row)} label={t('copyId', { id: idOf(row) })} />
          </>
        ),
    },
    status: {
      id: 'status',
      phone: 'bare',
      header: t('columns.status'),
      value: (row) => t(statusKey(row.status)),
      cell: (row) => <TaskStatus status={row.status} />,
    },
    progress: { id: 'progress', phone: 'bare', header: t('columns.progress'), value: percentOf, cell: (row) => <Progress task={row} /> },
    reason: {
      id: 'reason',
      header: t('columns.reason'),
      clip: 'short',
      needs: 'middle',
      value: (row) => row.fail_reason,
      cell: (row) => row.fail_reason || <Nothing />,
    },
  };
}

function shortId(id: string): string {
  return id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-6)}` : id;
}

/** Those that this person sees. */
export function columnsFor<Row>(columns: (ForAll<Row> | undefined)[], isAdmin: boolean): Column<Row>[] {
  return columns
    .filter((column): column is ForAll<Row> => column !== undefined && (isAdmin || !column.admin))
    .map(({ admin: _, ...column }) => column);
}

interface Shown {
  status: string;
  progress: string;
}

/** How far a task is: a bar, and the number beside it. What is no number is shown as it is. */
function Progress({ task }: { task: Shown }) {
  const { t } = useTranslation('tasks');
  const percent = percentOf(task);
  if (task.status === 'FAILURE') return <Nothing />; // its 100% means that it ended
  if (percent === undefined) return task.progress === '' ? <Nothing /> : task.progress;
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 112 }}>
      <LinearProgress
        variant="determinate"
        value={percent}
        aria-label={t('columns.progress')}
        sx={{ flex: 1, height: 4, borderRadius: 2 }}
      />
      <Box component="span" sx={{ fontVariantNumeric: 'tabular-nums', minWidth: 36, textAlign: 'right' }}>
        {Math.round(percent)}%
      </Box>
    </Box>
  );
}

function TaskStatus({ status }: { status: string }) {
  const { t } = useTranslation('tasks');
  return <StatusTag tone={statusTone(status)} label={t(statusKey(status))} />;
}
