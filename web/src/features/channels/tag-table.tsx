import type { ChannelView } from '@tollgate/contracts/api/channel-views';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useList } from '../../shared/list.ts';
import { usePageSize } from '../../shared/preferences.ts';
import { icons } from '../../shared/ui/icons.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { ResourceTable } from '../../shared/ui/resource-table.tsx';
import { RowButton } from '../../shared/ui/row-button.tsx';
import { RowMenu } from '../../shared/ui/row-menu.tsx';
import { usePageParam } from '../../shared/url-state.ts';
import { useListChannelsQuery } from './api.ts';
import type { ChannelFilters } from './rows.ts';
import { groupedByTag, isGroup, type TagGroup, type TagRow } from './tag-rows.ts';
import { useChannelColumns } from './use-channel-columns.tsx';
import { useTagActions } from './use-tag-actions.ts';
import { useTagColumns } from './use-tag-columns.tsx';

const TagEditor = lazyPart(async () => (await import('./tag-editor.tsx')).TagEditor);

interface TagTableProps {
  asked: ChannelFilters;
  idSort: boolean;
  actions: (channel: ChannelView) => ReactNode;
  muted: (channel: ChannelView) => boolean;
  empty: ReactNode;
}

function membersOf(row: TagRow): TagRow[] | undefined {
  return isGroup(row) ? row.members : undefined;
}

/** The channels below their tags; those without one come last. */
export function TagTable({ asked, idSort, actions, muted, empty }: TagTableProps) {
  const { t } = useTranslation('channels');
  const [page, setPage] = usePageParam();
  const [pageSize] = usePageSize();
  const list = useList(useListChannelsQuery({ p: page, page_size: pageSize, ...asked, untagged: true, id_sort: idSort, tag_mode: true }));
  const rows = useMemo(() => list.rows && groupedByTag(list.rows), [list.rows]);
  const columns = useTagColumns(useChannelColumns());
  const rowActions = useCallback((row: TagRow) => (isGroup(row) ? <TagActions group={row} /> : actions(row.channel)), [actions]);
  const isMuted = useCallback((row: TagRow) => !isGroup(row) && muted(row.channel), [muted]);
  return (
    <ResourceTable<TagRow>
      name="channels-by-tag"
      label={t('byTag')}
      columns={columns}
      list={{ ...list, rows }}
      page={page}
      onPage={setPage}
      subRows={membersOf}
      muted={isMuted}
      actions={rowActions}
      empty={empty}
    />
  );
}

function TagActions({ group }: { group: TagGroup }) {
  const { t } = useTranslation(['channels', 'shared']);
  const [isOpen, setOpen] = useState(false);
  const actions = useTagActions(group.tag);
  if (group.tag === '') return null;
  return (
    <>
      <RowButton label={t('tagEditor.open', { tag: group.tag })} hint={t('shared:edit')} icon={icons.edit} run={() => setOpen(true)} />
      <RowMenu label={`${t('shared:table.more')}: ${group.tag}`}>
        {(menu) => menu(actions.map((action) => ({ ...action, divided: false })))}
      </RowMenu>
      {isOpen && <TagEditor tag={group.tag} count={group.members.length} onClose={() => setOpen(false)} />}
    </>
  );
}
