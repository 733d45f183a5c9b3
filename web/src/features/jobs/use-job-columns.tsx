import type { JobView } from '@tollgate/contracts/api/job';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatSeconds, type Tone } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Nothing } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

export const states = ['running', 'waiting', 'delayed', 'failed', 'completed'] as const;
const tones: Record<JobView['state'], Tone> = {
  running: 'info',
  waiting: 'neutral',
  delayed: 'warning',
  failed: 'error',
  completed: 'success',
};

export function useJobColumns(): Column<JobView>[] {
  const { t } = useTranslation('jobs');
  return useMemo(
    () => [
      { id: 'name', header: t('columns.name'), primary: true, value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
      {
        id: 'state',
        phone: 'bare',
        header: t('columns.state'),
        value: ({ state }) => t(`states.${state}`),
        cell: ({ state }) => <StatusTag tone={tones[state]} label={t(`states.${state}`)} />,
      },
      {
        id: 'attempts',
        phone: 'figure',
        header: t('columns.attempts'),
        align: 'right',
        value: ({ attempts }) => attempts,
        cell: ({ attempts }) => attempts,
      },
      {
        id: 'begun',
        phone: 'bare',
        header: t('columns.begun'),
        value: (job) => formatDateTime(job.started_time || job.created_time),
        exported: { as: 'time', of: (job) => job.started_time || job.created_time },
        cell: (job) => <TimeText seconds={job.started_time || job.created_time} />,
      },
      {
        id: 'took',
        phone: 'figure',
        header: t('columns.took'),
        align: 'right',
        value: secondsOf,
        cell: (job) => (secondsOf(job) === undefined ? <Nothing /> : formatSeconds(secondsOf(job) ?? 0)),
      },
      { id: 'console', header: t('columns.console'), value: (job) => job.console, cell: (job) => job.console || <Nothing /> },
      {
        id: 'reason',
        header: t('columns.reason'),
        clip: true,
        value: ({ reason }) => reason,
        cell: ({ reason }) => reason || <Nothing />,
      },
    ],
    [t],
  );
}

function secondsOf({ started_time: from, ended_time: to }: JobView): number | undefined {
  return from > 0 && to >= from ? to - from : undefined;
}
