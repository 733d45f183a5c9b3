import type { ChannelFilters, ChannelView, ListChannelsQuery, Page } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { viewsOf } from '../../http/export.ts';
import { exactly, holds, listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';
import { keyDigests } from './change.ts';
import { channelViews } from './views.ts';

type Filter = Record<string, unknown>;

/** Of the channels without a tag, which nobody has sorted, so many are shown together; a filter shows them by pages. */
const mostUntagged = 500;

/** One page of channels. In tag mode a page counts tags (with `untagged` the last of them is none), and its rows are all channels of those tags. */
export async function listChannels(query: ListChannelsQuery): Promise<Page<ChannelView>> {
  return query.tag_mode ? listByTag(query) : listFlat(query);
}

async function listFlat(query: ListChannelsQuery): Promise<Page<ChannelView>> {
  const filter = channelFilter(query);
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal(
    slice,
    (limit) => Channel.find(filter).sort(orderOf(query)).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => Channel.countDocuments(filter, limits),
  );
  return pageOf(slice, await channelViews(rows), total);
}

async function listByTag(query: ListChannelsQuery): Promise<Page<ChannelView>> {
  const slice = sliceOf(query);
  const filter = channelFilter({ ...query, untagged: false });
  const [named, anyUntagged] = await Promise.all([
    Channel.distinct('tag', { ...filter, tag: query.tag || { $gt: '' } }),
    query.untagged ? Channel.exists({ ...filter, tag: '' }) : null,
  ]);
  const tags = [...named.sort(), ...(anyUntagged ? [''] : [])];
  const shown = tags.slice(slice.skip, slice.skip + slice.size);
  const order = orderOf(query);
  const [tagged, untagged] = await Promise.all([
    Channel.find({ tag: { $in: shown.filter((tag) => tag !== '') } })
      .sort({ tag: 1, ...order })
      .maxTimeMS(listTimeoutMs)
      .lean(),
    shown.includes('')
      ? Channel.find({ ...filter, tag: '' })
          .sort(order)
          .limit(mostUntagged)
          .maxTimeMS(listTimeoutMs)
          .lean()
      : [],
  ]);
  return pageOf(slice, await channelViews([...tagged, ...untagged]), exactly(tags.length));
}

/** All channels that the filters leave, for an export. */
export function channelRows(query: ChannelFilters & Pick<ListChannelsQuery, 'id_sort'>): AsyncGenerator<ChannelView> {
  return viewsOf(Channel.find(channelFilter(query)).sort(orderOf(query)).lean().cursor(), channelViews);
}

/** The keyword is the id, the whole key, or a part of the name or the base URL: of a sealed key no part can be looked for. */
export function channelFilter({ keyword, group, model, type, status, tag, untagged }: ChannelFilters): Filter {
  const byId = /^\d{1,15}$/.test(keyword) ? [{ id: Number(keyword) }] : [];
  return {
    ...(keyword !== '' && {
      $or: [...byId, { name: holds(keyword) }, { baseUrl: holds(keyword) }, ...ofKey(keyword)],
    }),
    ...(group !== '' && group !== 'null' && { groups: group }),
    ...(model !== '' && { models: holds(model) }),
    ...(type > 0 && { type }),
    ...(status > 0 && { status }),
    ...(tag !== '' && { tag }),
    ...(untagged && { tag: '' }),
  };
}

/** The key of a channel, or one of several. */
function ofKey(keyword: string): Filter[] {
  const digests = { $in: keyDigests(keyword) };
  return [{ keyDigest: digests }, { 'keySecrets.digest': digests }];
}

function orderOf({ id_sort }: Pick<ListChannelsQuery, 'id_sort'>): Record<string, 1 | -1> {
  return id_sort ? { id: -1 } : { priority: -1, id: -1 };
}
