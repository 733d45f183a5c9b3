import type { ReactNode } from 'react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiCall } from '../../shared/call.ts';
import type { Column } from '../../shared/ui/column.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import type { TaskScope } from './api.ts';
import { type TaskListOptions, type UseTasks, useTaskList } from './use-task-list.ts';

/** What sets one list of tasks apart from the other. It stays the same between renders. */
export interface TaskKind<Row> extends TaskListOptions {
  /** Of the table, in what the browser keeps. */
  name: string;
  icon: ReactNode;
  useTasks: UseTasks<Row>;
  useColumns: (isAdmin: boolean) => Column<Row>[];
  whole: (scope: TaskScope, format: 'csv' | 'json') => ApiCall;
  detail: (row: Row) => ReactNode;
}

interface TaskListPageProps<Row> {
  kind: TaskKind<Row>;
  texts: { title: string; none: string; noneText: string };
  /** Above the list, to administrators. */
  note?: ReactNode;
}

/** A list of tasks as they are made; administrators see everybody's. */
export function TaskListPage<Row extends { id: number | string; status: string }>({ kind, texts, note }: TaskListPageProps<Row>) {
  const { t } = useTranslation('tasks');
  const { list, scope, page, setPage, filters, chips } = useTaskList(kind.useTasks, kind);
  const isAdmin = scope.everybody;
  return (
    <PageFrame title={texts.title}>
      {isAdmin && note}
      <FilterBar state={filters} filters={chips} onRefresh={list.refresh} />
      <ResourceTable
        name={isAdmin ? `${kind.name}-all` : kind.name}
        label={texts.title}
        columns={kind.useColumns(isAdmin)}
        list={list}
        whole={useCallback((format: 'csv' | 'json') => kind.whole(scope, format), [kind, scope])}
        page={page}
        onPage={setPage}
        detail={kind.detail}
        empty={<EmptyState icon={kind.icon} title={texts.none} text={filters.anySet ? t('noneFoundText') : texts.noneText} />}
      />
    </PageFrame>
  );
}
