import type { ChannelView, CreateChannelBody, FetchModelsBody, UpdateChannelBody } from '@tollgate/contracts/api/channel';
import type { Page } from '@tollgate/contracts/api/common';
import { api } from '../../shared/api.ts';

export interface ChannelsQuery {
  p: number;
  page_size: number;
  keyword: string;
  model: string;
  group: string;
  id_sort: boolean;
}

const channelsApi = api.injectEndpoints({
  endpoints: (build) => ({
    listChannels: build.query<Page<ChannelView>, ChannelsQuery>({
      query: ({ keyword, model, group, ...page }) =>
        keyword || model || group
          ? { url: 'channel/search', params: { ...page, keyword, model, group } }
          : { url: 'channel/', params: page },
      providesTags: ['Channel'],
    }),
    getChannel: build.query<ChannelView, number>({ query: (id) => `channel/${id}`, providesTags: ['Channel'] }),
    listKnownModels: build.query<string[], void>({
      query: () => 'channel/models',
      transformResponse: (models: { id: string }[]) => [...new Set(models.map((model) => model.id))],
      keepUnusedDataFor: 3600,
    }),
    createChannel: build.mutation<unknown, CreateChannelBody>({
      query: (body) => ({ url: 'channel/', method: 'POST', body }),
      invalidatesTags: ['Channel'],
    }),
    updateChannel: build.mutation<ChannelView, UpdateChannelBody>({
      query: (body) => ({ url: 'channel/', method: 'PUT', body }),
      invalidatesTags: ['Channel'],
    }),
    /** A change made in the row itself: it shows at once, and a refusal takes it back. */
    patchChannel: build.mutation<ChannelView, Pick<UpdateChannelBody, 'id' | 'status' | 'priority' | 'weight'>>({
      query: (body) => ({ url: 'channel/', method: 'PUT', body }),
      async onQueryStarted({ id, ...changes }, { dispatch, getState, queryFulfilled }) {
        const lists = channelsApi.util
          .selectInvalidatedBy(getState(), ['Channel'])
          .filter((entry) => entry.endpointName === 'listChannels');
        const change = (fields: Partial<ChannelView>) =>
          lists.map((entry) =>
            dispatch(
              channelsApi.util.updateQueryData('listChannels', entry.originalArgs as ChannelsQuery, (page) => {
                Object.assign(page.items.find((channel) => channel.id === id) ?? {}, fields);
              }),
            ),
          );
        const patches = change(changes);
        try {
          change((await queryFulfilled).data);
        } catch {
          for (const patch of patches) patch.undo();
        }
      },
    }),
    copyChannel: build.mutation<ChannelView, number>({
      query: (id) => ({ url: `channel/${id}/copy`, method: 'POST' }),
      invalidatesTags: ['Channel'],
    }),
    deleteChannel: build.mutation<null, number>({
      query: (id) => ({ url: `channel/${id}/`, method: 'DELETE' }),
      invalidatesTags: ['Channel'],
    }),
    deleteChannels: build.mutation<number, number[]>({
      query: (ids) => ({ url: 'channel/batch', method: 'POST', body: { ids } }),
      invalidatesTags: ['Channel'],
    }),
    deleteDisabledChannels: build.mutation<number, void>({
      query: () => ({ url: 'channel/disabled', method: 'DELETE' }),
      invalidatesTags: ['Channel'],
    }),
    tagChannels: build.mutation<number, { ids: number[]; tag: string }>({
      query: (body) => ({ url: 'channel/batch/tag', method: 'POST', body }),
      invalidatesTags: ['Channel'],
    }),
    repairChannels: build.mutation<number, void>({ query: () => ({ url: 'channel/fix', method: 'POST' }) }),
    fetchModelsOf: build.mutation<string[], number>({ query: (id) => `channel/fetch_models/${id}` }),
    fetchModels: build.mutation<string[], FetchModelsBody>({ query: (body) => ({ url: 'channel/fetch_models', method: 'POST', body }) }),
  }),
});

export const {
  useListChannelsQuery,
  useGetChannelQuery,
  useListKnownModelsQuery,
  useCreateChannelMutation,
  useUpdateChannelMutation,
  usePatchChannelMutation,
  useCopyChannelMutation,
  useDeleteChannelMutation,
  useDeleteChannelsMutation,
  useDeleteDisabledChannelsMutation,
  useTagChannelsMutation,
  useRepairChannelsMutation,
  useFetchModelsOfMutation,
  useFetchModelsMutation,
} = channelsApi;
