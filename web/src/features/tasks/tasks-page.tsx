import AudiotrackOutlined from '@mui/icons-material/AudiotrackOutlined';
import type { TaskView } from '@tollgate/contracts/api/task';
import { useTranslation } from 'react-i18next';
import { useListMusicQuery, wholeMusic } from './api.ts';
import { musicStatuses } from './progress.ts';
import { MusicDetail } from './task-detail.tsx';
import { type TaskKind, TaskListPage } from './task-list-page.tsx';
import { useMusicColumns } from './use-music-columns.tsx';

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
