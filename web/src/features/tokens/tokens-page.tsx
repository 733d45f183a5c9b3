import AddRounded from '@mui/icons-material/AddRounded';
import KeyOutlined from '@mui/icons-material/KeyOutlined';
import Button from '@mui/material/Button';
import type { TokenView } from '@tollgate/contracts/api/token';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageSize } from '../../shared/preferences.ts';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { useOpenParam, usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListTokensQuery } from './api.ts';
import { TokenActions } from './token-actions.tsx';
import { TokenBulkBar } from './token-bulk-bar.tsx';
import { useTokenColumns } from './use-token-columns.tsx';

const TokenDrawer = lazy(async () => ({ default: (await import('./token-drawer.tsx')).TokenDrawer }));
const TokenResult = lazy(async () => ({ default: (await import('./token-result.tsx')).TokenResult }));

const filterNames = ['keyword', 'token'] as const;

export function TokensPage() {
  const { t } = useTranslation('tokens');
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const query = useListTokensQuery({ p: page, page_size: pageSize, keyword: filters.values.keyword, token: filters.values.token });
  const [edited, setEdited] = useOpenParam('edit');
  const [isNew, setNew] = useOpenParam('new');
  const [made, setMade] = useState<TokenView[]>([]);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const columns = useTokenColumns();
  const rows = query.data?.items;
  const create = (
    <Button variant="contained" startIcon={<AddRounded />} onClick={() => setNew('1')}>
      {t('create')}
    </Button>
  );

  return (
    <PageFrame title={t('title')} action={create}>
      {selected.size > 0 ? (
        <TokenBulkBar tokens={rows?.filter((token) => selected.has(token.id)) ?? []} onDone={() => setSelected(new Set())} />
      ) : (
        <FilterBar
          state={filters}
          search={{ name: 'keyword', label: t('search') }}
          filters={[{ name: 'token', label: t('columns.key'), kind: 'text' }]}
          onRefresh={query.refetch}
        />
      )}
      <ResourceTable
        name="tokens"
        label={t('title')}
        columns={columns}
        rows={rows}
        total={query.data?.total ?? 0}
        page={page}
        onPage={setPage}
        loading={query.isFetching}
        error={query.error}
        onRetry={query.refetch}
        selection={{ ids: selected, onChange: setSelected }}
        muted={(token) => token.status !== 1}
        actions={(token) => <TokenActions token={token} onEdit={() => setEdited(String(token.id))} />}
        empty={
          filters.anySet ? (
            <EmptyState title={t('noneFound')} text={t('noneFoundText')} />
          ) : (
            <EmptyState icon={<KeyOutlined />} title={t('none')} text={t('noneText')} action={create} />
          )
        }
      />
      <Suspense fallback={null}>
        {isNew && <TokenDrawer onClose={() => setNew(null)} onCreated={setMade} />}
        {edited && <TokenDrawer id={Number(edited)} onClose={() => setEdited(null)} />}
        {made.length > 0 && <TokenResult tokens={made} onClose={() => setMade([])} />}
      </Suspense>
    </PageFrame>
  );
}
