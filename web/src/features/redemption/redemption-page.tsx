import AddRounded from '@mui/icons-material/AddRounded';
import RedeemOutlined from '@mui/icons-material/RedeemOutlined';
import Button from '@mui/material/Button';
import type { RedemptionView } from '@tollgate/contracts/api/redemption';
import { redemptionStatus } from '@tollgate/contracts/constants';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { call } from '../../shared/call.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { saveCsv } from '../../shared/save-file.ts';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { copyText } from '../../shared/ui/copy.tsx';
import { EditorOutlet } from '../../shared/ui/editor-outlet.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { SelectFirst } from '../../shared/ui/select-first.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useSelection } from '../../shared/ui/use-selection.ts';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useListRedemptionsQuery } from './api.ts';
import { type CodesMade, codesAsCsv } from './codes.ts';
import { useRedemptionActions } from './redemption-actions.tsx';
import { useRedemptionColumns } from './use-redemption-columns.tsx';

const CodesDialog = lazyPart(async () => (await import('./codes-dialog.tsx')).CodesDialog);

const filterNames = ['keyword'] as const;

function isOff(code: RedemptionView): boolean {
  return code.status !== redemptionStatus.unused;
}

/** The list of redemption codes; the editor lies over it, at an address of its own. */
export function RedemptionPage() {
  const { t } = useTranslation('redemption');
  const navigate = useNavigate();
  const { search } = useLocation();
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const list = useList(useListRedemptionsQuery({ p: page, page_size: pageSize, ...filters.values }));
  const [made, setMade] = useState<CodesMade>();
  const selection = useSelection(list);
  const columns = useRedemptionColumns();
  const edit = useCallback((id: number) => navigate(`/redemption/edit/${id}${search}`), [navigate, search]);
  const actions = useRedemptionActions(edit);
  const create = (
    <Button component={Link} to={`/redemption/add${search}`} variant="contained" startIcon={<AddRounded />}>
      {t('create')}
    </Button>
  );

  return (
    <PageFrame title={t('title')} action={create}>
      {selection.rows.length > 0 ? (
        <RedemptionBulkBar codes={selection.rows} onDone={selection.clear} />
      ) : (
        <FilterBar state={filters} search={{ name: 'keyword', label: t('search') }} onRefresh={list.refresh}>
          <SelectFirst action={t('copySelected')} text={t('selectFirst')} />
        </FilterBar>
      )}
      <ResourceTable
        name="redemption"
        label={t('title')}
        columns={columns}
        list={list}
        whole={(format) => call('GET /api/redemption/export', { query: { ...filters.values, format } })}
        page={page}
        onPage={setPage}
        selection={selection}
        muted={isOff}
        actions={actions}
        empty={
          filters.anySet ? (
            <EmptyState title={t('noneFound')} text={t('noneFoundText')} />
          ) : (
            <EmptyState icon={<RedeemOutlined />} title={t('none')} text={t('noneText')} action={create} />
          )
        }
      />
      <EditorOutlet page="/redemption" titles={{ add: t('createTitle'), edit: t('editTitle') }} context={setMade} />
      {made && <CodesDialog made={made} title={t('made', { count: made.keys.length })} onClose={() => setMade(undefined)} />}
    </PageFrame>
  );
}

/** What can be done with several codes at once. */
function RedemptionBulkBar({ codes, onDone }: { codes: RedemptionView[]; onDone: () => void }) {
  const { t } = useTranslation(['redemption', 'shared']);
  const copyAll = async (): Promise<void> => {
    if (await copyText(codes.map(({ name, key }) => `${name}    ${key}`).join('\n'))) toast('success', t('shared:copy.done'));
  };
  return (
    <BulkBar
      count={codes.length}
      onClear={onDone}
      actions={[
        { key: 'copy', label: t('copySelected'), run: copyAll },
        { key: 'download', label: t('download'), run: () => saveCsv('redemption', codesAsCsv(codes)) },
      ]}
    />
  );
}
