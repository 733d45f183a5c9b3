import ReplayRounded from '@mui/icons-material/ReplayRounded';
import ScheduleOutlined from '@mui/icons-material/ScheduleOutlined';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { JobsView, JobView } from '@tollgate/contracts/api/job';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { List } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListJobsQuery, useRunJobMutation } from './api.ts';
import { states, useJobColumns } from './use-job-columns.tsx';
import { type ScheduleRow, useScheduleColumns } from './use-schedule-columns.tsx';

const filterNames = ['view', 'state'] as const;
const everyMs = 5000;

/** What the consoles do besides answering: what runs, waits and has failed, and what begins by itself. */
export function JobsPage() {
  const { t } = useTranslation('jobs');
  const filters = useUrlFilters(filterNames);
  const query = useListJobsQuery(undefined, { pollingInterval: everyMs, skipPollingIfUnfocused: true });
  const { data } = query;
  const view = filters.values.view === 'schedules' ? 'schedules' : 'runs';
  const refresh = (): void => void query.refetch();
  // A line ends between two counts, never in one.
  const counts = data && states.map((state) => t(`counts.${state}`, { count: data.counts[state] }).replaceAll(' ', '\u00a0')).join(' · ');
  return (
    <PageFrame title={t('title')} aside={counts}>
      <Tabs
        value={view}
        onChange={(_event, next: string) => filters.set({ view: next === 'runs' ? '' : next, state: '' })}
        aria-label={t('title')}
        sx={{ minHeight: 36, mb: 1, '& .MuiTab-root': { minHeight: 36, py: 0 } }}
      >
        <Tab value="runs" label={t('runs')} id="jobs-tab-runs" aria-controls="jobs-panel" />
        <Tab value="schedules" label={t('schedules')} id="jobs-tab-schedules" aria-controls="jobs-panel" />
      </Tabs>
      <div
        id="jobs-panel"
        role="tabpanel"
        aria-labelledby={`jobs-tab-${view}`}
        style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}
      >
        {view === 'runs' ? (
          <Runs data={data} error={query.error} filters={filters} refresh={refresh} />
        ) : (
          <Schedules data={data} error={query.error} refresh={refresh} />
        )}
      </div>
    </PageFrame>
  );
}

interface PartProps {
  data: JobsView | undefined;
  error: unknown;
  refresh: () => void;
}

function Runs({ data, error, refresh, filters }: PartProps & { filters: ReturnType<typeof useUrlFilters<(typeof filterNames)[number]>> }) {
  const { t } = useTranslation('jobs');
  const columns = useJobColumns();
  const { state } = filters.values;
  const rows = useMemo(() => data?.items.filter((job) => state === '' || job.state === state), [data, state]);
  const actions = useCallback((job: JobView) => (job.state === 'failed' ? <RunAgain job={job} /> : null), []);
  const { list, page, setPage } = usePages(rows, { error, refresh });
  return (
    <>
      <FilterBar
        state={filters}
        filters={[
          {
            name: 'state',
            label: t('columns.state'),
            kind: 'select',
            options: [{ value: '', label: t('states.all') }, ...states.map((each) => ({ value: each, label: t(`states.${each}`) }))],
          },
        ]}
        onRefresh={refresh}
      />
      <ResourceTable
        name="jobs"
        label={t('runs')}
        columns={columns}
        list={list}
        page={page}
        onPage={setPage}
        actions={actions}
        empty={<EmptyState icon={<ScheduleOutlined />} title={t('none')} text={t('noneText')} />}
      />
    </>
  );
}

function Schedules({ data, error, refresh }: PartProps) {
  const { t } = useTranslation('jobs');
  const columns = useScheduleColumns();
  const rows = useMemo(() => {
    const running = new Map(data?.items.filter(({ state }) => state === 'running').map((job) => [job.name, job.console]));
    return data?.schedules.map((each): ScheduleRow => ({ ...each, id: each.name, running: running.get(each.name) ?? '' }));
  }, [data]);
  const { list, page, setPage } = usePages(rows, { error, refresh });
  return (
    <ResourceTable
      name="schedules"
      label={t('schedules')}
      columns={columns}
      list={list}
      page={page}
      onPage={setPage}
      empty={<EmptyState icon={<ScheduleOutlined />} title={t('noSchedules')} text={t('noSchedulesText')} />}
    />
  );
}

/** A list that came whole, page by page. */
function usePages<Row>(rows: Row[] | undefined, { error, refresh }: { error: unknown; refresh: () => void }) {
  const [page, setPage] = usePageParam();
  const [size] = usePageSize();
  const shown = rows?.slice((page - 1) * size, page * size);
  const question = rows && JSON.stringify({ page, page_size: size });
  const list: List<Row> = { rows: shown, total: rows?.length ?? 0, isMore: false, loading: false, error, refresh, question };
  return { list, page, setPage };
}

function RunAgain({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  const [run] = useRunJobMutation();
  const runAgain = async (): Promise<void> => {
    const { error } = await run(job.id);
    if (error) toast('error', messageOf(error));
    else toast('success', t('begun', { name: job.name }));
  };
  return (
    <RowButton
      label={t('runOne', { name: job.name })}
      hint={t('run')}
      icon={<ReplayRounded fontSize="inherit" />}
      run={() => void runAgain()}
    />
  );
}
