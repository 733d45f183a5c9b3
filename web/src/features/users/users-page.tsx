import AddRounded from '@mui/icons-material/AddRounded';
import Button from '@mui/material/Button';
import { userStatus } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { usePageSize } from '../../shared/preferences.ts';
import { useListGroupsQuery } from '../../shared/site.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListUsersQuery } from './api.ts';
import { useUserColumns } from './use-user-columns.tsx';
import { UserActions } from './user-actions.tsx';

const filterNames = ['keyword', 'group'] as const;

/** The list of users; the editor lies over it, at an address of its own. */
export function UsersPage() {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const { search } = useLocation();
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const query = useListUsersQuery({ p: page, page_size: pageSize, ...filters.values });
  const { data: groups = [] } = useListGroupsQuery();
  const columns = useUserColumns();

  return (
    <PageFrame
      title={t('title')}
      action={
        <Button component={Link} to={`/user/add${search}`} variant="contained" startIcon={<AddRounded />}>
          {t('create')}
        </Button>
      }
    >
      <FilterBar
        state={filters}
        search={{ name: 'keyword', label: t('search') }}
        filters={[
          { name: 'group', label: t('columns.group'), kind: 'select', options: groups.map((name) => ({ value: name, label: name })) },
        ]}
        onRefresh={query.refetch}
      />
      <ResourceTable
        name="users"
        label={t('title')}
        columns={columns}
        rows={query.data?.items}
        total={query.data?.total ?? 0}
        page={page}
        onPage={setPage}
        loading={query.isFetching}
        error={query.error}
        onRetry={query.refetch}
        muted={(user) => user.DeletedAt !== null || user.status !== userStatus.enabled}
        actions={(user) => <UserActions user={user} onEdit={() => navigate(`/user/edit/${user.id}${search}`)} />}
        empty={<EmptyState title={t('noneFound')} text={t('noneFoundText')} />}
      />
      <Outlet />
    </PageFrame>
  );
}
