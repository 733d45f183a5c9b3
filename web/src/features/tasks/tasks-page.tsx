import AudiotrackOutlined from '@mui/icons-material/AudiotrackOutlined';
import type { TaskView } from '@tollgate/contracts/api/task';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { useListMusicQuery } from './api.ts';
import { musicStatuses } from './progress.ts';
import { MusicDetail } from './task-detail.tsx';
import { useMusicColumns } from './use-music-columns.tsx';
import { useTaskList } from './use-task-list.ts';

/** Music as it is made; administrators see everybody's. */
export function TasksPage() {
  const { t } = useTranslation('tasks');
  const { list, page, setPage, filters, chips, isAdmin } = useTaskList<TaskView>(useListMusicQuery, {
    defaultRange: 'today',
    statuses: musicStatuses,
  });
  const columns = useMusicColumns(isAdmin);
  const detail = useCallback((task: TaskView) => <MusicDetail task={task} />, []);
  return (
    <PageFrame title={t('tasks')}>
      <FilterBar state={filters} filters={chips} onRefresh={list.refresh} />
      <ResourceTable
        name={isAdmin ? 'tasks-all' : 'tasks'}
        label={t('tasks')}
        columns={columns}
        list={list}
        page={page}
        onPage={setPage}
        detail={detail}
        empty={
          <EmptyState icon={<AudiotrackOutlined />} title={t('noTasks')} text={filters.anySet ? t('noneFoundText') : t('noTasksText')} />
        }
      />
    </PageFrame>
  );
}
