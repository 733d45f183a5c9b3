import HistoryRounded from '@mui/icons-material/HistoryRounded';
import SellOutlined from '@mui/icons-material/SellOutlined';
import Button from '@mui/material/Button';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatFigure } from '../../shared/format.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { useGetPricingQuery } from '../../shared/prices.ts';
import { useSessionUser } from '../../shared/session.ts';
import { BulkBar } from '../../shared/ui/bulk-bar.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import { GroupOption } from '../../shared/ui/group-tag.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { useSelection } from '../../shared/ui/use-selection.ts';
import { usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { type Model, useModels } from './use-models.ts';
import { usePriceColumns } from './use-price-columns.tsx';

const HistoryDialog = lazyPart(async () => (await import('./history-dialog.tsx')).HistoryDialog);
const Calculator = lazyPart(async () => (await import('./calculator.tsx')).Calculator);

const filterNames = ['keyword', 'group', 'type', 'only'] as const;
const viewNames = ['unit', 'compare'] as const;
const mostCompared = 4;
const noRatios: Record<string, number> = {};

/** What every model costs, in the group that is chosen; models can be set side by side. */
export function PricingPage() {
  const { t } = useTranslation(['pricing', 'shared']);
  const user = useSessionUser();
  const [page, setPage] = usePageParam();
  const [size] = usePageSize();
  const filters = useUrlFilters(filterNames);
  const view = useUrlFilters(viewNames);
  const asked = useGetPricingQuery(undefined, { refetchOnMountOrArgChange: true });
  const ratios = asked.data?.group_ratio ?? noRatios;
  const group = groupOf(filters.values.group, user?.group, ratios);
  const { list, all } = useModels(asked, { ...filters.values, only: filters.values.only && group, page, size });
  const selection = useSelection(list);
  const setGroup = useCallback((next: string) => filters.set({ group: next }), [filters.set]);
  const unit = view.values.unit === '1k' ? 1000 : 1_000_000;
  const columns = usePriceColumns({ group, ratios, unit, onGroup: setGroup });
  const groupOptions = useMemo(
    () =>
      Object.entries(ratios).map(([name, ratio]) => ({
        value: name,
        label: <GroupOption name={name} desc={asked.data?.usable_group[name] ?? name} ratio={ratio} />,
      })),
    [ratios, asked.data],
  );
  const compared = view.values.compare.split(',').flatMap((name) => all.find((model) => model.id === name) ?? []);
  const compare = (names: string[]): void => view.set({ compare: names.join(',') });
  const [historyOf, setHistoryOf] = useState('');
  const actions = useCallback(
    ({ model_name: name }: Model) => (
      <RowButton
        label={t('historyOf', { name })}
        hint={t('history')}
        icon={<HistoryRounded fontSize="inherit" />}
        run={() => setHistoryOf(name)}
      />
    ),
    [t],
  );
  const calculate = (
    <Button variant="outlined" color="inherit" onClick={() => compare([all[0]?.id ?? ''])} disabled={all.length === 0}>
      {t('calculator')}
    </Button>
  );

  return (
    <PageFrame title={t('title')} action={calculate}>
      <Typography variant="body2" color="textSecondary" sx={{ pb: 1 }}>
        {asked.data && t(user ? 'yourGroup' : 'visitorGroup', { group, ratio: formatFigure(ratios[group] ?? 1) })} {t('formula')}
      </Typography>
      {selection.rows.length > 0 ? (
        <BulkBar
          count={selection.rows.length}
          onClear={selection.clear}
          actions={[
            {
              key: 'compare',
              label: selection.rows.length > mostCompared ? t('compareMost', { most: mostCompared }) : t('compare'),
              disabled: selection.rows.length > mostCompared,
              run: () => compare(selection.rows.map(({ id }) => id)),
            },
          ]}
        />
      ) : (
        <FilterBar
          state={filters}
          search={{ name: 'keyword', label: t('search') }}
          filters={[
            { name: 'group', label: t('filters.group'), kind: 'select', options: groupOptions },
            { name: 'only', label: t('filters.only'), kind: 'select', options: [{ value: 'yes', label: t('filters.onlyThisGroup') }] },
            {
              name: 'type',
              label: t('columns.type'),
              kind: 'select',
              options: [
                { value: '0', label: t('byUsage') },
                { value: '1', label: t('byCall') },
              ],
            },
          ]}
          onRefresh={list.refresh}
        >
          <ToggleButtonGroup
            exclusive
            size="small"
            value={unit}
            aria-label={t('unit')}
            onChange={(_event, next: number | null) => next && view.set({ unit: next === 1000 ? '1k' : '' }, true)}
            sx={{ '& button': { py: 0.25, px: 1, textTransform: 'none', fontSize: 12.5 } }}
          >
            <ToggleButton value={1_000_000}>{t('per1M')}</ToggleButton>
            <ToggleButton value={1000}>{t('per1K')}</ToggleButton>
          </ToggleButtonGroup>
        </FilterBar>
      )}
      <ResourceTable
        name="pricing"
        label={t('title')}
        columns={columns}
        list={list}
        page={page}
        onPage={setPage}
        selection={selection}
        actions={actions}
        empty={
          filters.anySet ? (
            <EmptyState title={t('noneFound')} />
          ) : (
            <EmptyState icon={<SellOutlined />} title={t('noModels')} text={t('noModelsText')} />
          )
        }
      />
      {historyOf !== '' && <HistoryDialog model={historyOf} onClose={() => setHistoryOf('')} />}
      {compared.length > 0 && (
        <Calculator
          models={compared.slice(0, mostCompared)}
          all={all}
          ratios={ratios}
          group={group}
          onModels={compare}
          onClose={() => compare([])}
        />
      )}
    </PageFrame>
  );
}

/** The group whose prices are shown: the chosen one, the visitor's own, `default`, or any. */
function groupOf(chosen: string, own: string | undefined, ratios: Record<string, number>): string {
  const known = [chosen, own ?? '', 'default'].find((name) => name in ratios);
  return known ?? Object.keys(ratios)[0] ?? 'default';
}
