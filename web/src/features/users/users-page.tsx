import AddRounded from '@mui/icons-material/AddRounded';
import Button from '@mui/material/Button';
import type { UserView } from '@tollgate/contracts/api/user';
import { userStatus } from '@tollgate/contracts/constants';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { call } from '../../shared/call.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { useListGroupsQuery } from '../../shared/site.ts';
import { EditorOutlet } from '../../shared/ui/editor-outlet.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListUsersQuery } from './api.ts';
import { useUserColumns } from './use-user-columns.tsx';
import { useUserActions } from './user-actions.tsx';

const filterNames = ['keyword', 'group'] as const;

function isOff(user: UserView): boolean {
  return user.DeletedAt !== null || user.status !== userStatus.enabled;
}

/** The list of users; the editor lies over it, at an address of its own. */
export function UsersPage() {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const { search } = useLocation();
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const list = useList(useListUsersQuery({ p: page, page_size: pageSize, ...filters.values }));
  const { data: groups = [] } = useListGroupsQuery();
  const columns = useUserColumns();
  const edit = useCallback((id: number) => navigate(`/user/edit/${id}${search}`), [navigate, search]);
  const actions = useUserActions(edit);

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
        onRefresh={list.refresh}
      />
      <ResourceTable
        name="users"
        label={t('title')}
        columns={columns}
        list={list}
        whole={(format) => call('GET /api/user/export', { query: { ...filters.values, format } })}
        page={page}
        onPage={setPage}
        muted={isOff}
        actions={actions}
        empty={<EmptyState title={t('noneFound')} text={t('noneFoundText')} />}
      />
      <EditorOutlet page="/user" titles={{ add: t('createTitle'), edit: t('editTitle') }} />
    </PageFrame>
  );
}
