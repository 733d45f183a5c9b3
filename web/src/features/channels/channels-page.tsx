import AddRounded from '@mui/icons-material/AddRounded';
import LanOutlined from '@mui/icons-material/LanOutlined';
import Button from '@mui/material/Button';
import ToggleButton from '@mui/material/ToggleButton';
import type { ChannelHealth } from '@tollgate/contracts/api/channel-stats';
import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { channelStatus } from '@tollgate/contracts/constants';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useNavigate } from 'react-router';
import { call } from '../../shared/call.ts';
import { useList } from '../../shared/list.ts';
import { usePageSize, useRemembered } from '../../shared/preferences.ts';
import { EditorOutlet } from '../../shared/ui/editor-outlet.tsx';
import { EmptyState } from '../../shared/ui/empty-state.tsx';
import { FilterBar } from '../../shared/ui/filter-bar.tsx';
import type { Choice, Filter } from '../../shared/ui/filter-chip.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { wideDrawer } from '../../shared/ui/side-drawer.tsx';
import { useBulk } from '../../shared/ui/use-bulk.ts';
import { useSelection } from '../../shared/ui/use-selection.ts';
import { type UrlFilters, usePageParam, useUrlFilters } from '../../shared/url-state.ts';
import { useGetFacetsQuery, useListChannelsQuery } from './api.ts';
import { useChannelActions } from './channel-actions.tsx';
import { ChannelBulkBar } from './channel-bulk-bar.tsx';
import { useListHealthQuery } from './health-api.ts';
import { MaintenanceMenu } from './maintenance-menu.tsx';
import type { ChannelFilters } from './rows.ts';
import { useChannelColumns } from './use-channel-columns.tsx';
import { useChannelTypes } from './use-channel-types.ts';

const filterNames = ['keyword', 'model', 'group', 'type', 'status', 'tag', 'untagged', 'sort', 'view'] as const;
const knownValues = { type: /^\d{1,4}$/, status: /^\d{1,4}$/, untagged: ['1'], sort: ['id'], view: ['tags'] };
type ChannelFilterName = (typeof filterNames)[number];
type Name = ChannelFilterName;

/** The filters of the address as the server has them. */
function filtersIn({ keyword, model, group, type, status, tag, untagged }: Record<Name, string>): ChannelFilters {
  return { keyword, model, group, type: Number(type) || 0, status: Number(status) || 0, tag, untagged: untagged !== '' };
}

/** The filters of the list; what can be chosen is what there is, with how many of each. */
function useChannelFilters({ values }: UrlFilters<Name>): Filter<Name>[] {
  const { t } = useTranslation('channels');
  const { nameOf } = useChannelTypes();
  const { data: facets } = useGetFacetsQuery();
  const counted = (label: string, count: number): string => `${label} (${count})`;
  const named = (facet: { name: string; count: number }[] = []) =>
    facet.map(({ name, count }) => ({ value: name, label: counted(name, count) }));
  // What stands in the address is shown even where it fits no channel any more.
  const select = (name: Name, label: string, options: Choice<Name>[]): Filter<Name> => {
    const chosen = values[name];
    const isKnown = chosen === '' || options.some(({ value }) => value === chosen);
    return { name, label, kind: 'select', options: isKnown ? options : [...options, { value: chosen, label: chosen }] };
  };
  const statusLabel = (status: number): string => {
    if (status === channelStatus.enabled) return t('status.enabled');
    return status === channelStatus.disabled ? t('status.disabled') : t('status.autoDisabled');
  };
  const types = (facets?.types ?? []).map(({ type, count }) => ({
    value: String(type),
    label: counted(nameOf(type), count),
  }));
  const statuses = (facets?.statuses ?? []).map(({ status, count }) => ({
    value: String(status),
    label: counted(statusLabel(status), count),
  }));
  return [
    { name: 'model', label: t('filters.model'), kind: 'text' },
    select('group', t('columns.group'), named(facets?.groups)),
    select('type', t('columns.type'), types),
    select('status', t('columns.status'), statuses),
    select('tag', t('columns.tag'), [
      { value: '1', label: counted(t('filters.untagged'), facets?.untagged ?? 0), sets: 'untagged' },
      ...named(facets?.tags),
    ]),
  ];
}

const TagTable = lazyPart(async () => (await import('./tag-table.tsx')).TagTable);
const TestProgress = lazyPart(async () => (await import('./test-progress.tsx')).TestProgress);

function isOff(channel: ChannelView): boolean {
  return channel.status !== channelStatus.enabled;
}

/** The list of channels; the editor lies over it, at an address of its own. */
export function ChannelsPage() {
  const { t } = useTranslation('channels');
  const navigate = useNavigate();
  const { search } = useLocation();
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const filters = useUrlFilters(filterNames, knownValues);
  const { sort } = filters.values;
  const asked = filtersIn(filters.values);
  const isByTag = filters.values.view === 'tags';
  const list = useList(useListChannelsQuery({ p: page, page_size: pageSize, ...asked, id_sort: sort === 'id' }, { skip: isByTag }));
  const choices = useChannelFilters(filters);
  const selection = useSelection(list);
  const bulk = useBulk(selection, list, asked);
  const [isBatch] = useBatchMode();
  const columns = useChannelColumns(useHealthOf(list.rows ?? noRows));
  const edit = useCallback((id: number) => navigate(`/channel/edit/${id}${search}`), [navigate, search]);
  const actions = useChannelActions(edit);
  const create = (
    <Button component={Link} to={`/channel/add${search}`} variant="contained" startIcon={<AddRounded />}>
      {t('create')}
    </Button>
  );

  const empty = filters.anySet ? (
    <EmptyState title={t('noneFound')} text={t('noneFoundText')} />
  ) : (
    <EmptyState icon={<LanOutlined />} title={t('none')} text={t('noneText')} action={create} />
  );

  return (
    <PageFrame
      title={t('title')}
      action={
        <>
          <MaintenanceMenu isAnySelected={selection.rows.length > 0} onRemoved={selection.clear} />
          {create}
        </>
      }
    >
      {selection.rows.length > 0 && isBatch && !isByTag ? (
        <ChannelBulkBar bulk={bulk} />
      ) : (
        <FilterBar
          state={filters}
          search={{ name: 'keyword', label: t('search') }}
          filters={choices}
          view={<ListToggles filters={filters} />}
          onRefresh={list.refresh}
        />
      )}
      <TestProgress />
      {isByTag ? (
        <TagTable asked={asked} idSort={sort === 'id'} actions={actions} muted={isOff} empty={empty} />
      ) : (
        <ResourceTable
          name="channels"
          label={t('title')}
          columns={columns}
          list={list}
          whole={(format) => call('GET /api/channel/export', { query: { ...asked, id_sort: sort === 'id', format } })}
          page={page}
          onPage={setPage}
          {...(isBatch && { selection })}
          // The server knows two orders: by priority, and by id with the newest first.
          sort={{
            by: sort === 'id' ? { column: 'id', descending: true } : undefined,
            onChange: (by) => filters.set({ sort: by?.descending ? 'id' : '' }),
          }}
          muted={isOff}
          actions={actions}
          empty={empty}
        />
      )}
      <EditorOutlet page="/channel" titles={{ add: t('createTitle'), edit: t('editTitle') }} width={wideDrawer} />
    </PageFrame>
  );
}

const healthEveryMs = 30_000;
const noRows: readonly ChannelView[] = [];

/** Error rates and latency of the listed channels, read apart from the list. */
function useHealthOf(rows: readonly ChannelView[]): ReadonlyMap<number, ChannelHealth> {
  const ids = rows.map(({ id }) => id).join(',');
  const { data } = useListHealthQuery(ids, { skip: ids === '', pollingInterval: healthEveryMs, skipPollingIfUnfocused: true });
  return useMemo(() => new Map(data?.map((each) => [each.channel, each])), [data]);
}

/** Whether rows can be selected; this browser remembers it. */
function useBatchMode(): [boolean, (on: boolean) => void] {
  const [text, setText] = useRemembered('channel-batch');
  return [text !== 'off', (on) => setText(on ? undefined : 'off')];
}

/** How the list is shown: newest first instead of by priority, below tags, with or without boxes to select rows. */
function ListToggles({ filters: { values, set } }: { filters: UrlFilters<ChannelFilterName> }) {
  const { t } = useTranslation('channels');
  const [isBatch, setBatch] = useBatchMode();
  const isByTag = values.view === 'tags';
  const toggles = [
    { key: 'sort', label: t('toggles.byId'), isOn: values.sort === 'id', turn: (on: boolean) => set({ sort: on ? 'id' : '' }) },
    { key: 'view', label: t('toggles.byTag'), isOn: isByTag, turn: (on: boolean) => set({ view: on ? 'tags' : '' }) },
    { key: 'batch', label: t('toggles.batch'), isOn: isBatch && !isByTag, turn: setBatch },
  ];
  return toggles.map(({ key, label, isOn, turn }) => (
    <ToggleButton
      key={key}
      value={key}
      size="small"
      selected={isOn}
      disabled={key === 'batch' && isByTag}
      onChange={() => turn(!isOn)}
      sx={{ py: 0, px: 1, height: 28, textTransform: 'none', fontSize: 12.5, whiteSpace: 'nowrap' }}
    >
      {label}
    </ToggleButton>
  ));
}
