import type { Page } from '@tollgate/contracts/api/common';
import { role } from '@tollgate/contracts/constants';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '../../shared/format.ts';
import { type List, useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { useHasRole } from '../../shared/session.ts';
import type { Filter } from '../../shared/ui/filter-chip.tsx';
import { type UrlFilters, usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import type { TaskScope, TasksQuery } from './api.ts';
import { isOpen } from './progress.ts';
import { rangeNames, taskRangeOf } from './task-range.ts';
import { TaskRangePanel } from './task-range-panel.tsx';

const filterNames = ['range', 'from', 'to', 'id', 'status', 'channel'] as const;
type FilterName = (typeof filterNames)[number];

/** While something is being made the list is read again this often, else now and then. */
const liveMs = 3000;
const idleMs = 20_000;

interface Answer<Row> {
  data?: Page<Row> | undefined;
  currentData?: Page<Row> | undefined;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}
export type UseTasks<Row> = (query: TasksQuery, options: { pollingInterval: number; skipPollingIfUnfocused: boolean }) => Answer<Row>;

export interface TaskListOptions {
  defaultRange: '30d' | 'today';
  statuses: readonly string[];
}

export interface TaskList<Row> {
  list: List<Row>;
  scope: TaskScope;
  page: number;
  setPage: (page: number, quietly?: boolean) => void;
  filters: UrlFilters<FilterName>;
  chips: Filter<FilterName>[];
}

/** A list of tasks that moves by itself. Reading it again in between shows no bar: nothing has been asked for. */
export function useTaskList<Row extends { status: string }>(
  useTasks: UseTasks<Row>,
  { defaultRange, statuses }: TaskListOptions,
): TaskList<Row> {
  const isAdmin = useHasRole(role.admin);
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const { values } = filters;
  const [asOf, setAsOf] = useState(() => Date.now());
  const [pollingInterval, setPollingInterval] = useState(liveMs);
  const scope = useMemo(() => {
    const channel = Number(values.channel) || 0;
    const range = taskRangeOf(values, { defaultRange, nowMs: asOf });
    return { everybody: isAdmin, id: values.id, status: values.status, channel, ...range };
  }, [values, isAdmin, asOf, defaultRange]);
  const asked = { ...scope, p: page, page_size: pageSize };
  const answer = useTasks(asked, { pollingInterval, skipPollingIfUnfocused: true });
  const wanted = answer.data?.items.some(isOpen) ? liveMs : idleMs;
  if (wanted !== pollingInterval) setPollingInterval(wanted);
  const list = useList<Row>({ ...answer, originalArgs: asked });
  const isNew = list.question === undefined;
  const quiet = useMemo(
    () => ({
      ...list,
      loading: list.loading && isNew,
      refresh: () => {
        setAsOf(Date.now());
        list.refresh();
      },
    }),
    [list, isNew],
  );
  return { list: quiet, scope, page, setPage, filters, chips: useChips(filters, { isAdmin, defaultRange, statuses }) };
}

function useChips(
  filters: UrlFilters<FilterName>,
  { isAdmin, defaultRange, statuses }: TaskListOptions & { isAdmin: boolean },
): Filter<FilterName>[] {
  const { t } = useTranslation('tasks');
  const { range, from, to } = filters.values;
  const name = rangeNames.find((known) => known === range) ?? defaultRange;
  const moments = [from, to].map((text) => (Number(text) > 0 ? formatDateTime(Number(text)).slice(0, 16) : '…'));
  const isOwn = from !== '' || to !== '';
  const chips: Filter<FilterName>[] = [
    {
      name: 'range',
      label: t('columns.submitted'),
      kind: 'custom',
      shown: isOwn ? moments.join(' – ') : t(`ranges.${name}`),
      clears: ['range', 'from', 'to'],
      panel: (close) =>
        TaskRangePanel({
          current: { range: isOwn ? '' : name, from, to },
          labelOf: (each) => t(`ranges.${each}`),
          onApply: (next) => {
            close();
            filters.set({ ...next, range: next.range === defaultRange ? '' : next.range });
          },
        }),
    },
    {
      name: 'status',
      label: t('columns.status'),
      kind: 'select',
      options: [
        { value: '', label: t('statuses.all') },
        ...statuses.map((status) => ({ value: status, label: t(`statuses.${status as 'SUCCESS'}`) })),
      ],
    },
    { name: 'id', label: t('columns.taskId'), kind: 'text' },
  ];
  return isAdmin ? [...chips, { name: 'channel', label: t('columns.channel'), kind: 'text', numeric: true }] : chips;
}
