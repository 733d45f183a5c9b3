import type { ScheduleView } from '@tollgate/contracts/api/job';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint, Nothing } from '../../shared/ui/faint.tsx';
import { StatusTag } from '../../shared/ui/status-tag.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

export interface ScheduleRow extends ScheduleView {
  id: string;
  /** Which console runs it now; '' when none does. */
  running: string;
}

export function useScheduleColumns(): Column<ScheduleRow>[] {
  const { t, i18n } = useTranslation('jobs');
  return useMemo(
    () => [
      { id: 'name', header: t('columns.name'), primary: true, value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
      {
        id: 'every',
        phone: 'figure',
        header: t('columns.every'),
        align: 'right',
        value: ({ every }) => every,
        cell: ({ every }) => spanIn(i18n.language, every),
      },
      {
        id: 'next',
        phone: 'figure',
        header: t('columns.next'),
        value: (row) => formatDateTime(row.next_time),
        exported: { as: 'time', of: (row) => row.next_time },
        cell: (row) => <TimeText seconds={row.next_time} />,
      },
      {
        id: 'last',
        phone: 'figure',
        header: t('columns.last'),
        value: (row) => (row.last_time > 0 ? formatDateTime(row.last_time) : ''),
        exported: { as: 'time', of: (row) => row.last_time || '' },
        cell: (row) => (row.last_time > 0 ? <TimeText seconds={row.last_time} /> : <Faint>{t('never')}</Faint>),
      },
      {
        id: 'console',
        header: t('columns.console'),
        value: (row) => row.running || row.last_console,
        cell: (row) => {
          if (row.running) return <StatusTag tone="info" label={t('runsOn', { console: row.running })} />;
          return row.last_console || <Nothing />;
        },
      },
    ],
    [t, i18n],
  );
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** "15 sec", "1 hr": in the greatest unit that it is a whole number of. */
function spanIn(language: string, seconds: number): string {
  const [unit, length] = units.find(([, size]) => seconds % size === 0) ?? ['second', 1];
  return new Intl.NumberFormat(language, { style: 'unit', unit }).format(seconds / length);
}
