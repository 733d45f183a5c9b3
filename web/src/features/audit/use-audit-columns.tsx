import type { AuditView } from '@tollgate/contracts/api/audit';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../shared/format.ts';
import type { Column } from '../../shared/ui/column.ts';
import { Faint, Nothing, NumberedName } from '../../shared/ui/faint.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';

export function useAuditColumns(): Column<AuditView>[] {
  const { t } = useTranslation('audit');
  return useMemo(
    () => [
      {
        id: 'time',
        phone: 'bare',
        header: t('columns.time'),
        value: (row) => formatDateTime(row.created_at),
        cell: (row) => <TimeText seconds={row.created_at} />,
      },
      {
        id: 'actor',
        phone: 'bare',
        header: t('columns.actor'),
        value: (row) => row.actor_name,
        cell: (row) => (row.actor_id === 0 ? <Faint>{row.actor_name}</Faint> : <NumberedName name={row.actor_name} id={row.actor_id} />),
      },
      { id: 'action', header: t('columns.action'), primary: true, value: (row) => row.action, cell: (row) => <code>{row.action}</code> },
      { id: 'target', phone: 'bare', header: t('columns.target'), value: (row) => row.target, cell: (row) => <code>{row.target}</code> },
      {
        id: 'change',
        header: t('columns.change'),
        clip: true,
        value: (row) => row.after || row.before,
        cell: (row) => row.after || row.before || <Nothing />,
      },
    ],
    [t],
  );
}
