import type { ChannelView, KnownModel } from '@tollgate/contracts/api/channel-views';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';
import { type ApiStore, isShown, patchRow } from '../../shared/patch-row.ts';

/** As the server has them in a bulk edit. */
export interface ChannelFilters {
  keyword: string;
  model: string;
  group: string;
  type: number;
  status: number;
  tag: string;
  untagged: boolean;
}

interface ChannelsQuery extends ChannelFilters {
  p: number;
  page_size: number;
  id_sort: boolean;
  /** Pages count tags, and hold all channels of those. */
  tag_mode?: boolean;
}

/** What is read of channels; `api.ts` adds what changes them. */
export const queriesApi = api.injectEndpoints({
  endpoints: (build) => ({
    listChannels: build.query({
      ...calls((query: ChannelsQuery) => call('GET /api/channel', { query })),
      providesTags: ['Channel'],
    }),
    getFacets: build.query({ ...calls(() => call('GET /api/channel/facets')), providesTags: ['Channel'] }),
    listTests: build.query(calls(({ id }: { id: number; testedAt: number }) => call('GET /api/channel/:id/tests', { params: { id } }))),
    getChannel: build.query({ ...calls((id: number) => call('GET /api/channel/:id', { params: { id } })), providesTags: ['Channel'] }),
    listKnownModels: build.query({
      ...calls(() => call('GET /api/channel/models')),
      transformResponse: (models: KnownModel[]) => [...new Set(models.map((model) => model.id))],
      keepUnusedDataFor: 3600,
    }),
  }),
});

const lists = { tag: 'Channel', endpoint: 'listChannels' } as const;

/** Puts fields of a channel into every list that shows it; what comes back can undo it. */
export function changeRow(store: ApiStore, id: number, fields: Partial<ChannelView>): () => void {
  return patchRow<ChannelView>(store, lists, id, fields);
}

/** Once a call about a channel is over, well or not: what the server now has of the channel, into its row. Another status may take that out of a filter. */
export async function rereadRow(store: ApiStore, id: number, over: Promise<unknown>): Promise<void> {
  await over.catch(() => undefined);
  const { data } = await store.dispatch(queriesApi.endpoints.getChannel.initiate(id, { subscribe: false, forceRefetch: true }));
  if (!data) return;
  const hasTurned = isShown<ChannelView>(store, lists, id, ({ status }) => status !== data.status);
  changeRow(store, id, data);
  if (hasTurned) store.dispatch(api.util.invalidateTags(['Channel']));
}
