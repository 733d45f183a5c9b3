import AddRounded from '@mui/icons-material/AddRounded';
import KeyOutlined from '@mui/icons-material/KeyOutlined';
import Button from '@mui/material/Button';
import type { TokenView } from '@tollgate/contracts/api/token';
import { tokenStatus } from '@tollgate/contracts/constants';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation, useNavigate } from 'react-router';
import { call } from '../../shared/call.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { copyText } from '../../shared/ui/copy.tsx';
import { EditorOutlet } from '../../shared/ui/editor-outlet.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { Faint } from '../../shared/ui/faint.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { SelectFirst } from '../../shared/ui/select-first.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { type Bulk, useBulk } from '../../shared/ui/use-bulk.ts';
import { useBulkStatus } from '../../shared/ui/use-bulk-status.ts';
import { useSelection } from '../../shared/ui/use-selection.ts';
import { useUndo } from '../../shared/ui/use-undo.ts';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { type TokenFilters, useDeleteTokensMutation, useListTokensQuery, usePatchTokensMutation } from './api.ts';
import { useTokenActions } from './token-actions.tsx';
import { useTokenColumns } from './use-token-columns.tsx';

const TokenResult = lazyPart(async () => (await import('./token-result.tsx')).TokenResult);

const filterNames = ['keyword', 'token'] as const;

function isOff(token: TokenView): boolean {
  return token.status !== tokenStatus.enabled;
}

/** The list of tokens; the editor lies over it, at an address of its own. */
export function TokensPage() {
  const { t } = useTranslation('tokens');
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const list = useList(useListTokensQuery({ p: page, page_size: pageSize, ...filters.values }));
  const [made, setMade] = useState<TokenView[]>([]);
  const selection = useSelection(list);
  const bulk = useBulk(selection, list, filters.values);
  const columns = useTokenColumns();
  const edit = useCallback((id: number) => navigate(`/token/edit/${id}${search}`), [navigate, search]);
  const actions = useTokenActions(edit);
  const moved = movedAddress(pathname, search);
  if (moved) return <Navigate to={moved} replace />;
  const create = (
    <Button variant="contained" startIcon={<AddRounded />} onClick={() => navigate(`/token/add${search}`)}>
      {t('create')}
    </Button>
  );

  return (
    <PageFrame title={t('title')} aside={<Faint>{t('warning')}</Faint>} action={create}>
      {selection.rows.length > 0 ? (
        <TokenBulkBar bulk={bulk} tokens={selection.rows} />
      ) : (
        <FilterBar
          state={filters}
          search={{ name: 'keyword', label: t('search') }}
          filters={[{ name: 'token', label: t('columns.key'), kind: 'text' }]}
          onRefresh={list.refresh}
        >
          <SelectFirst action={t('copySelected')} text={t('selectFirst')} />
        </FilterBar>
      )}
      <ResourceTable
        name="tokens"
        label={t('title')}
        columns={columns}
        list={list}
        whole={(format) => call('GET /api/token/export', { query: { ...filters.values, format } })}
        page={page}
        onPage={setPage}
        selection={selection}
        muted={isOff}
        actions={actions}
        empty={
          filters.anySet ? (
            <EmptyState title={t('noneFound')} text={t('noneFoundText')} />
          ) : (
            <EmptyState icon={<KeyOutlined />} title={t('none')} text={t('noneText')} action={create} />
          )
        }
      />
      <EditorOutlet page="/token" titles={{ add: t('createTitle'), edit: t('editTitle') }} context={setMade} />
      {made.length > 0 && <TokenResult tokens={made} onClose={() => setMade([])} />}
    </PageFrame>
  );
}

/** Where an address leads in which the editor was still a parameter: `?new=1`, `?edit=12`. */
function movedAddress(pathname: string, search: string): string | undefined {
  const params = new URLSearchParams(search);
  const id = params.get('edit');
  if (pathname !== '/token' || !(id || params.has('new'))) return undefined;
  params.delete('new');
  params.delete('edit');
  return `/token/${id ? `edit/${id}` : 'add'}${params.size > 0 ? `?${params}` : ''}`;
}

/** What can be done with several tokens at once; `tokens` are those that are selected one by one. */
function TokenBulkBar({ bulk, tokens }: { bulk: Bulk<TokenFilters>; tokens: TokenView[] }) {
  const { t } = useTranslation(['tokens', 'shared']);
  const confirm = useConfirm();
  const [patch] = usePatchTokensMutation();
  const [remove] = useDeleteTokensMutation();
  const undo = useUndo();

  const setStatus = useBulkStatus({
    bulk,
    patch,
    said: (status, count) => t(status === tokenStatus.enabled ? 'manyEnabled' : 'manyDisabled', { count }),
  });
  const copyAll = async (): Promise<void> => {
    const copied = tokens.filter(({ key }) => key !== '');
    if (await copyText(copied.map((token) => `${token.name}    sk-${token.key}`).join('\n'))) toast('success', t('shared:copy.done'));
  };
  const removeAll = async (): Promise<void> => {
    const title = t('deleteManyTitle', { count: bulk.count });
    if (!(await confirm({ title, text: t('deleteText'), action: t('shared:delete'), dangerous: true }))) return;
    const { data, error } = await remove(bulk.rows);
    if (error) return toast('error', messageOf(error));
    toast('success', t('deletedMany', { count: data.data ?? 0 }), undo(data));
    bulk.clear();
  };

  return (
    <BulkBar
      count={bulk.count}
      onClear={bulk.clear}
      actions={[
        ...(bulk.takeAll ? [bulk.takeAll(t('selectMatching'))] : []),
        { key: 'copy', label: t('copySelected'), run: copyAll, disabled: bulk.count > tokens.length },
        { key: 'enable', label: t('shared:enable'), run: () => setStatus(tokenStatus.enabled) },
        { key: 'disable', label: t('shared:disable'), run: () => setStatus(tokenStatus.disabled) },
        { key: 'delete', label: t('shared:delete'), run: removeAll, dangerous: true },
      ]}
    />
  );
}
