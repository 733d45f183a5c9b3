import AddRounded from '@mui/icons-material/AddRounded';
import LanOutlined from '@mui/icons-material/LanOutlined';
import Button from '@mui/material/Button';
import { channelStatus } from '@tollgate/contracts/constants';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { usePageSize } from '../../shared/preferences.ts';
import { useListGroupsQuery } from '../../shared/site.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListChannelsQuery } from './api.ts';
import { ChannelActions } from './channel-actions.tsx';
import { ChannelBulkBar } from './channel-bulk-bar.tsx';
import { MaintenanceMenu } from './maintenance-menu.tsx';
import { useChannelColumns } from './use-channel-columns.tsx';

const filterNames = ['keyword', 'model', 'group', 'sort'] as const;

/** The list of channels; the editor lies over it, at an address of its own. */
export function ChannelsPage() {
  const { t } = useTranslation('channels');
  const navigate = useNavigate();
  const { search } = useLocation();
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const { keyword, model, group, sort } = filters.values;
  const query = useListChannelsQuery({ p: page, page_size: pageSize, keyword, model, group, id_sort: sort === 'id' });
  const { data: groups = [] } = useListGroupsQuery();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const columns = useChannelColumns();
  const create = (
    <Button component={Link} to={`/channel/add${search}`} variant="contained" startIcon={<AddRounded />}>
      {t('create')}
    </Button>
  );

  return (
    <PageFrame
      title={t('title')}
      action={
        <>
          <MaintenanceMenu />
          {create}
        </>
      }
    >
      {selected.size > 0 ? (
        <ChannelBulkBar ids={[...selected]} onDone={() => setSelected(new Set())} />
      ) : (
        <FilterBar
          state={filters}
          search={{ name: 'keyword', label: t('search') }}
          filters={[
            { name: 'model', label: t('filters.model'), kind: 'text' },
            { name: 'group', label: t('columns.group'), kind: 'select', options: groups.map((name) => ({ value: name, label: name })) },
            {
              name: 'sort',
              label: t('filters.sort'),
              kind: 'select',
              options: [
                { value: '', label: t('filters.byPriority') },
                { value: 'id', label: t('filters.byId') },
              ],
            },
          ]}
          onRefresh={query.refetch}
        />
      )}
      <ResourceTable
        name="channels"
        label={t('title')}
        columns={columns}
        rows={query.data?.items}
        total={query.data?.total ?? 0}
        page={page}
        onPage={setPage}
        loading={query.isFetching}
        error={query.error}
        onRetry={query.refetch}
        selection={{ ids: selected, onChange: setSelected }}
        muted={(channel) => channel.status !== channelStatus.enabled}
        actions={(channel) => <ChannelActions channel={channel} onEdit={() => navigate(`/channel/edit/${channel.id}${search}`)} />}
        empty={
          filters.anySet ? (
            <EmptyState title={t('noneFound')} text={t('noneFoundText')} />
          ) : (
            <EmptyState icon={<LanOutlined />} title={t('none')} text={t('noneText')} action={create} />
          )
        }
      />
      <Outlet />
    </PageFrame>
  );
}
