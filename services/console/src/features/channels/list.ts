import { type ChannelView, type ListChannelsQuery, type Page, totalCap } from '@tollgate/contracts';
import { Channel } from '@tollgate/db';
import { viewsOf } from '../../http/export.ts';
import { holds, listTimeoutMs, pageOf, sliceOf } from '../../http/page.ts';
import { keyDigest } from './key-digest.ts';
import { channelViews } from './views.ts';

type Filter = Record<string, unknown>;
type ChannelFilters = Pick<ListChannelsQuery, 'keyword' | 'group' | 'model'>;

/** One page of channels. In tag mode a page counts tags, and its rows are all channels of those tags. */
export async function listChannels(query: ListChannelsQuery): Promise<Page<ChannelView>> {
  return query.tag_mode ? listByTag(query) : listFlat(query);
}

async function listFlat(query: ListChannelsQuery): Promise<Page<ChannelView>> {
  const filter = filterOf(query);
  const slice = sliceOf(query);
  const [channels, total] = await Promise.all([
    Channel.find(filter).sort(orderOf(query)).skip(slice.skip).limit(slice.size).maxTimeMS(listTimeoutMs).lean(),
    Channel.countDocuments(filter, { limit: totalCap, maxTimeMS: listTimeoutMs }),
  ]);
  return pageOf(slice, await channelViews(channels), total);
}

async function listByTag(query: ListChannelsQuery): Promise<Page<ChannelView>> {
  const slice = sliceOf(query);
  const tagged = await Channel.distinct('tag', { ...filterOf(query), tag: { $ne: '' } });
  const tags = tagged.sort().slice(slice.skip, slice.skip + slice.size);
  const channels = await Channel.find({ tag: { $in: tags } })
    .sort({ tag: 1, ...orderOf(query) })
    .maxTimeMS(listTimeoutMs)
    .lean();
  return pageOf(slice, await channelViews(channels), tagged.length);
}

/** All channels that the filters leave, for an export. */
export function channelRows(query: ChannelFilters & Pick<ListChannelsQuery, 'id_sort'>): AsyncGenerator<ChannelView> {
  return viewsOf(Channel.find(filterOf(query)).sort(orderOf(query)).lean().cursor(), channelViews);
}

/** The keyword is the id, the whole key, or a part of the name or the base URL: of a sealed key no part can be looked for. */
function filterOf({ keyword, group, model }: ChannelFilters): Filter {
  const byId = /^\d{1,15}$/.test(keyword) ? [{ id: Number(keyword) }] : [];
  return {
    ...(keyword !== '' && { $or: [...byId, { name: holds(keyword) }, { baseUrl: holds(keyword) }, { keyDigest: keyDigest(keyword) }] }),
    ...(group !== '' && group !== 'null' && { groups: group }),
    ...(model !== '' && { models: holds(model) }),
  };
}

function orderOf({ id_sort }: Pick<ListChannelsQuery, 'id_sort'>): Record<string, 1 | -1> {
  return id_sort ? { id: -1 } : { priority: -1, id: -1 };
}
