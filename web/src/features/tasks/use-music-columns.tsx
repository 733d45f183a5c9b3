import type { TaskView } from '@tollgate/contracts/api/task';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../shared/ui/column.ts';
import { columnsFor, taskColumns } from './task-columns.tsx';

export function useMusicColumns(isAdmin: boolean): Column<TaskView>[] {
  const { t } = useTranslation('tasks');
  return useMemo(() => {
    const common = taskColumns<TaskView>(t, 1, ({ task_id }) => task_id);
    const platform = { id: 'platform', header: t('columns.platform'), needs: 'middle' as const, value: () => 'suno', cell: () => 'Suno' };
    const { submitted, ended, progress, duration, user, channel, action, taskId, status, reason } = common;
    return columnsFor<TaskView>([submitted, ended, progress, duration, user, channel, platform, action, taskId, status, reason], isAdmin);
  }, [t, isAdmin]);
}
