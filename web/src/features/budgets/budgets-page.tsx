import AddRounded from '@mui/icons-material/AddRounded';
import SavingsOutlined from '@mui/icons-material/SavingsOutlined';
import Button from '@mui/material/Button';
import { role } from '@tollgate/contracts/constants';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { call } from '../../shared/call.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { useHasRole } from '../../shared/session.ts';
import { EditorOutlet } from '../../shared/ui/editor-outlet.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { usePageParam } from '../../shared/url-state.ts';
import { useListBudgetsQuery } from './api.ts';
import { useBudgetActions } from './budget-actions.tsx';
import { useBudgetColumns } from './use-budget-columns.tsx';

/** Budgets with what is used of them: all of them for administrators, otherwise those that apply to one's own calls. */
export function BudgetsPage() {
  const { t } = useTranslation('budgets');
  const navigate = useNavigate();
  const { search } = useLocation();
  const everybody = useHasRole(role.admin);
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const list = useList(useListBudgetsQuery({ p: page, page_size: pageSize, subject: '', near: 0, everybody }));
  const columns = useBudgetColumns();
  const edit = useCallback((id: number) => navigate(`/budget/edit/${id}${search}`), [navigate, search]);
  const actions = useBudgetActions(edit);
  const create = (
    <Button component={Link} to={`/budget/add${search}`} variant="contained" startIcon={<AddRounded />}>
      {t('create')}
    </Button>
  );
  return (
    <PageFrame title={t('title')} action={create}>
      <ResourceTable
        name="budgets"
        label={t('title')}
        columns={columns}
        list={list}
        whole={(format) => call('GET /api/budget/export', { query: { format } })}
        page={page}
        onPage={setPage}
        actions={actions}
        empty={<EmptyState icon={<SavingsOutlined />} title={t('none')} text={t('noneText')} action={create} />}
      />
      <EditorOutlet page="/budget" titles={{ add: t('create'), edit: t('editTitle') }} />
    </PageFrame>
  );
}
