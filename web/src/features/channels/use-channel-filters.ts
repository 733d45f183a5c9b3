import { channelStatus } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import type { Choice, Filter } from '../../shared/ui/filter-chip.tsx';
import type { UrlFilters } from '../../shared/url-state.ts';
import { useGetFacetsQuery } from './api.ts';
import type { ChannelFilters } from './rows.ts';
import { useChannelTypes } from './use-channel-types.ts';

export const filterNames = ['keyword', 'model', 'group', 'type', 'status', 'tag', 'untagged', 'sort', 'view'] as const;
export type ChannelFilterName = (typeof filterNames)[number];
type Name = ChannelFilterName;

/** The filters of the address as the server has them. */
export function filtersIn({ keyword, model, group, type, status, tag, untagged }: Record<Name, string>): ChannelFilters {
  return { keyword, model, group, type: Number(type) || 0, status: Number(status) || 0, tag, untagged: untagged !== '' };
}

/** The filters of the list; what can be chosen is what there is, with how many of each. */
export function useChannelFilters({ values }: UrlFilters<Name>): Filter<Name>[] {
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
