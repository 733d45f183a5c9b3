import CropOriginalOutlined from '@mui/icons-material/CropOriginalOutlined';
import Alert from '@mui/material/Alert';
import type { DrawingView } from '@tollgate/contracts/api/task';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useGetStatusQuery } from '../../shared/site.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { useListDrawingsQuery } from './api.ts';
import { drawingStatuses } from './progress.ts';
import { DrawingDetail } from './task-detail.tsx';
import { useDrawingColumns } from './use-drawing-columns.tsx';
import { useTaskList } from './use-task-list.ts';

/** Drawings as they are made; administrators see everybody's. */
export function DrawingsPage() {
  const { t } = useTranslation('tasks');
  const { data: status } = useGetStatusQuery();
  const { list, page, setPage, filters, chips, isAdmin } = useTaskList<DrawingView>(useListDrawingsQuery, {
    defaultRange: '30d',
    statuses: drawingStatuses,
  });
  const columns = useDrawingColumns(isAdmin);
  const detail = useCallback((drawing: DrawingView) => <DrawingDetail drawing={drawing} />, []);
  return (
    <PageFrame title={t('drawings')}>
      {isAdmin && status?.mj_notify_enabled === false && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {t('callbackOff')}
        </Alert>
      )}
      <FilterBar state={filters} filters={chips} onRefresh={list.refresh} />
      <ResourceTable
        name={isAdmin ? 'drawings-all' : 'drawings'}
        label={t('drawings')}
        columns={columns}
        list={list}
        page={page}
        onPage={setPage}
        detail={detail}
        empty={
          <EmptyState
            icon={<CropOriginalOutlined />}
            title={t('noDrawings')}
            text={filters.anySet ? t('noneFoundText') : t('noDrawingsText')}
          />
        }
      />
    </PageFrame>
  );
}
