import LibraryBooksOutlined from '@mui/icons-material/LibraryBooksOutlined';
import Button from '@mui/material/Button';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { PriceSourceView, ProposalView } from '@tollgate/contracts/api/catalog';
import { proposalKinds, proposalStatuses } from '@tollgate/contracts/constants';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { type List, useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useSelection } from '../../shared/ui/use-selection.ts';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListPriceSourcesQuery, useListProposalsQuery, useSyncCatalogMutation } from './api.ts';
import { DecisionBar } from './decision-bar.tsx';
import { useProposalColumns, useSourceColumns } from './use-catalog-columns.tsx';

const UploadDialog = lazyPart(async () => (await import('./upload-dialog.tsx')).UploadDialog);

const filterNames = ['view', 'status', 'kind'] as const;

/** What price sources and providers suggest, and the sources themselves. */
export function CatalogPage() {
  const { t } = useTranslation('catalog');
  const filters = useUrlFilters(filterNames);
  const [isUploading, setUploading] = useState(false);
  const [sync] = useSyncCatalogMutation();
  const view = filters.values.view === 'sources' ? 'sources' : 'proposals';
  const syncNow = async (): Promise<void> => {
    const { error } = await sync(undefined);
    if (error) toast('error', messageOf(error));
    else toast('success', t('syncStarted'));
  };
  return (
    <PageFrame
      title={t('title')}
      action={
        <>
          <Button variant="outlined" color="inherit" onClick={() => void syncNow()}>
            {t('sync')}
          </Button>
          <Button variant="contained" onClick={() => setUploading(true)} sx={{ ml: 1 }}>
            {t('upload')}
          </Button>
        </>
      }
    >
      <Tabs
        value={view}
        onChange={(_event, next: string) => filters.set({ view: next === 'proposals' ? '' : next, status: '', kind: '' })}
        aria-label={t('title')}
        sx={{ minHeight: 36, mb: 1, '& .MuiTab-root': { minHeight: 36, py: 0 } }}
      >
        <Tab value="proposals" label={t('proposals')} id="catalog-tab-proposals" aria-controls="catalog-panel" />
        <Tab value="sources" label={t('sources')} id="catalog-tab-sources" aria-controls="catalog-panel" />
      </Tabs>
      <div
        id="catalog-panel"
        role="tabpanel"
        aria-labelledby={`catalog-tab-${view}`}
        style={{ display: 'flex', flexDirection: 'column', flex: 1, minHeight: 0 }}
      >
        {view === 'proposals' ? <Proposals filters={filters} /> : <Sources />}
      </div>
      {isUploading && <UploadDialog onClose={() => setUploading(false)} />}
    </PageFrame>
  );
}

function isDecided({ status }: ProposalView): boolean {
  return status === 'applied' || status === 'rejected';
}

function Proposals({ filters }: { filters: ReturnType<typeof useUrlFilters<(typeof filterNames)[number]>> }) {
  const { t } = useTranslation('catalog');
  const [page, setPage] = usePageParam();
  const [size] = usePageSize();
  const { status, kind } = filters.values;
  const list = useList(
    useListProposalsQuery({
      p: page,
      page_size: size,
      ...(status !== '' && { status: status as ProposalView['status'] }),
      ...(kind !== '' && { kind: kind as ProposalView['kind'] }),
    }),
  );
  const selection = useSelection(list);
  const columns = useProposalColumns();
  return (
    <>
      {selection.rows.length > 0 ? (
        <DecisionBar proposals={selection.rows} onDone={selection.clear} />
      ) : (
        <FilterBar
          state={filters}
          filters={[
            {
              name: 'status',
              label: t('columns.status'),
              kind: 'select',
              options: proposalStatuses.map((each) => ({ value: each, label: t(`statuses.${each}`) })),
            },
            {
              name: 'kind',
              label: t('columns.kind'),
              kind: 'select',
              options: proposalKinds.map((each) => ({ value: each, label: t(`kinds.${each}`) })),
            },
          ]}
          onRefresh={list.refresh}
        />
      )}
      <ResourceTable
        name="proposals"
        label={t('proposals')}
        columns={columns}
        list={list}
        page={page}
        onPage={setPage}
        selection={selection}
        muted={isDecided}
        empty={<EmptyState icon={<LibraryBooksOutlined />} title={t('none')} text={t('noneText')} />}
      />
    </>
  );
}

type SourceRow = PriceSourceView & { id: string };

function Sources() {
  const { t } = useTranslation('catalog');
  const { data, error, isFetching, refetch } = useListPriceSourcesQuery(undefined);
  const columns = useSourceColumns();
  const list = useMemo<List<SourceRow>>(
    () => ({
      rows: data?.map((source) => ({ ...source, id: source.name })),
      total: data?.length ?? 0,
      isMore: false,
      loading: isFetching,
      error,
      refresh: () => void refetch(),
      question: data && JSON.stringify({ page: 1, page_size: data.length }),
    }),
    [data, error, isFetching, refetch],
  );
  const settings = (
    <Button component={Link} to="/setting?tab=operation#ratios" variant="contained">
      {t('openSettings')}
    </Button>
  );
  return (
    <ResourceTable
      name="sources"
      label={t('sources')}
      columns={columns}
      list={list}
      page={1}
      onPage={() => undefined}
      empty={<EmptyState icon={<LibraryBooksOutlined />} title={t('noSources')} text={t('noSourcesText')} action={settings} />}
    />
  );
}
