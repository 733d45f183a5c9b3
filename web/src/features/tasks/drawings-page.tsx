import CropOriginalOutlined from '@mui/icons-material/CropOriginalOutlined';
import Alert from '@mui/material/Alert';
import type { DrawingView } from '@tollgate/contracts/api/task';
import { useTranslation } from 'react-i18next';
import { useGetStatusQuery } from '../../shared/site.ts';
import { useListDrawingsQuery, wholeDrawings } from './api.ts';
import { drawingStatuses } from './progress.ts';
import { DrawingDetail } from './task-detail.tsx';
import { type TaskKind, TaskListPage } from './task-list-page.tsx';
import { useDrawingColumns } from './use-drawing-columns.tsx';

const drawings: TaskKind<DrawingView> = {
  name: 'drawings',
  icon: <CropOriginalOutlined />,
  defaultRange: '30d',
  statuses: drawingStatuses,
  useTasks: useListDrawingsQuery,
  useColumns: useDrawingColumns,
  whole: wholeDrawings,
  detail: (drawing) => <DrawingDetail drawing={drawing} />,
};

/** Drawings as they are made. */
export function DrawingsPage() {
  const { t } = useTranslation('tasks');
  const { data: status } = useGetStatusQuery();
  return (
    <TaskListPage
      kind={drawings}
      texts={{ title: t('drawings'), none: t('noDrawings'), noneText: t('noDrawingsText') }}
      note={
        status?.mj_notify_enabled === false && (
          <Alert severity="info" sx={{ mb: 1 }}>
            {t('callbackOff')}
          </Alert>
        )
      }
    />
  );
}
