import RouteOutlined from '@mui/icons-material/RouteOutlined';
import type { RunView } from '@tollgate/contracts/api/run';
import { role } from '@tollgate/contracts/constants';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime, formatQuota } from '../../shared/format.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { useHasRole } from '../../shared/session.ts';
import { useMoneyDisplay } from '../../shared/site.ts';
import type { Column } from '../../shared/ui/column.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { icons } from '../../shared/ui/icons.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { TimeText } from '../../shared/ui/time-text.tsx';
import { usePageParam } from '../../shared/url-state.ts';
import { useListRunsQuery } from './api.ts';
import { useRunName } from './run-name.ts';
import { UsedBar } from './used-bar.tsx';

const RunDialog = lazyPart(async () => (await import('./run-dialog.tsx')).RunDialog);

/** Runs with what they have cost: those of all tokens for administrators, otherwise of one's own. */
export function RunsPage() {
  const { t } = useTranslation('budgets');
  const everybody = useHasRole(role.admin);
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const [shown, setShown] = useState<string>();
  const list = useList(useListRunsQuery({ p: page, page_size: pageSize, everybody }));
  const nameOf = useRunName();
  const columns = useRunColumns();
  const actions = useCallback(
    (run: RunView) => (
      <RowButton label={t('runs.viewOne', { name: nameOf(run) })} hint={t('runs.view')} icon={icons.view} run={() => setShown(run.id)} />
    ),
    [t, nameOf],
  );
  return (
    <PageFrame title={t('runs.title')}>
      <ResourceTable
        name="runs"
        label={t('runs.title')}
        columns={columns}
        list={list}
        page={page}
        onPage={setPage}
        actions={actions}
        empty={<EmptyState icon={<RouteOutlined />} title={t('runs.none')} text={t('runs.noneText')} />}
      />
      {shown !== undefined && <RunDialog id={shown} onClose={() => setShown(undefined)} />}
    </PageFrame>
  );
}

function useRunColumns(): Column<RunView>[] {
  const { t } = useTranslation('budgets');
  const money = useMoneyDisplay();
  const nameOf = useRunName();
  return useMemo(() => {
    const usedText = ({ used, limit, percent }: RunView) =>
      t('runs.usedOf', { used: formatQuota(used, money), amount: formatQuota(limit, money), percent });
    return [
      { id: 'run', header: t('runs.run'), primary: true, clip: true, value: nameOf, cell: nameOf },
      {
        id: 'used',
        header: t('runs.used'),
        phone: 'bare',
        value: usedText,
        cell: (row) => (
          <span>
            {usedText(row)}
            <UsedBar percent={row.percent} label={t('runs.usedOfName', { name: nameOf(row) })} />
          </span>
        ),
      },
      { id: 'token', header: t('runs.token'), clip: true, value: (row) => row.token_name, cell: (row) => row.token_name },
      {
        id: 'opened',
        header: t('runs.opened'),
        value: (row) => formatDateTime(row.opened_time),
        cell: (row) => <TimeText seconds={row.opened_time} />,
      },
    ];
  }, [t, money, nameOf]);
}
