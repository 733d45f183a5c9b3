import PlaylistAddCheckOutlined from '@mui/icons-material/PlaylistAddCheckOutlined';
import type { AuditView } from '@tollgate/contracts/api/audit';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../shared/call.ts';
import { formatDateTime } from '../../shared/format.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import type { Column } from '../../shared/ui/column.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { Faint, Nothing, NumberedName } from '../../shared/ui/faint.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListAuditQuery } from './api.ts';
import { AuditDetail } from './audit-detail.tsx';

const filterNames = ['actor', 'action', 'target'] as const;

/** Who changed what: the newest first, and what it was before and after in an opened row. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const list = useList(useListAuditQuery({ p: page, page_size: pageSize, ...filters.values }));
  const columns = useAuditColumns();
  const detail = useCallback((row: AuditView) => <AuditDetail row={row} />, []);
  return (
    <PageFrame title={t('title')}>
      <FilterBar
        state={filters}
        filters={[
          { name: 'actor', label: t('columns.actor'), kind: 'text' },
          { name: 'action', label: t('columns.action'), kind: 'text' },
          { name: 'target', label: t('columns.target'), kind: 'text' },
        ]}
        onRefresh={list.refresh}
      />
      <ResourceTable
        name="audit"
        label={t('title')}
        columns={columns}
        list={list}
        page={page}
        onPage={setPage}
        detail={detail}
        whole={(format) => call('GET /api/audit/export', { query: { ...filters.values, format } })}
        empty={
          <EmptyState icon={<PlaylistAddCheckOutlined />} title={t('none')} text={filters.anySet ? t('noneFoundText') : t('noneText')} />
        }
      />
    </PageFrame>
  );
}

function useAuditColumns(): Column<AuditView>[] {
  const { t } = useTranslation('audit');
  return useMemo(
    () => [
      {
        id: 'time',
        phone: 'bare',
        header: t('columns.time'),
        value: (row) => formatDateTime(row.created_at),
        exported: { as: 'time', of: (row) => row.created_at },
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
