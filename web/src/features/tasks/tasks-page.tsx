import AudiotrackOutlined from '@mui/icons-material/AudiotrackOutlined';
import type { TaskView } from '@tollgate/contracts/api/task';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../../shared/ui/column.ts';
import { useListMusicQuery, wholeMusic } from './api.ts';
import { musicStatuses } from './progress.ts';
import { columnsFor, taskColumns } from './task-columns.tsx';
import { MusicDetail } from './task-detail.tsx';
import { type TaskKind, TaskListPage } from './task-list-page.tsx';

const music: TaskKind<TaskView> = {
  name: 'tasks',
  icon: <AudiotrackOutlined />,
  defaultRange: 'today',
  statuses: musicStatuses,
  useTasks: useListMusicQuery,
  useColumns: useMusicColumns,
  whole: wholeMusic,
  detail: (task) => <MusicDetail task={task} />,
};

/** Music as it is made. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  return <TaskListPage kind={music} texts={{ title: t('tasks'), none: t('noTasks'), noneText: t('noTasksText') }} />;
}

function useMusicColumns(isAdmin: boolean): Column<TaskView>[] {
  const { t } = useTranslation('tasks');
  return useMemo(() => {
    const common = taskColumns<TaskView>(t, 1, ({ task_id }) => task_id);
    const platform = { id: 'platform', header: t('columns.platform'), needs: 'middle' as const, value: () => 'suno', cell: () => 'Suno' };
    const { submitted, ended, progress, duration, user, channel, action, taskId, status, reason } = common;
    return columnsFor<TaskView>([submitted, ended, progress, duration, user, channel, platform, action, taskId, status, reason], isAdmin);
  }, [t, isAdmin]);
}
