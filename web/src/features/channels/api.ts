import type { ChannelView, CreateChannelBody, FetchModelsBody, UpdateChannelBody } from '@tollgate/contracts/api/channel';
import { changeRow, queriesApi, rereadRow } from './rows.ts';

const channelsApi = queriesApi.injectEndpoints({
  endpoints: (build) => ({
    createChannel: build.mutation<unknown, CreateChannelBody>({
      query: (body) => ({ url: 'channel/', method: 'POST', body }),
      invalidatesTags: ['Channel'],
    }),
    updateChannel: build.mutation<ChannelView, UpdateChannelBody & { version?: number }>({
      query: (body) => ({ url: 'channel/', method: 'PUT', body }),
      invalidatesTags: ['Channel'],
    }),
    /** A change made in the row itself: it shows at once, and a refusal takes it back. */
    patchChannel: build.mutation<ChannelView, Pick<UpdateChannelBody, 'id' | 'status' | 'priority' | 'weight'>>({
      query: (body) => ({ url: 'channel/', method: 'PUT', body }),
      async onQueryStarted({ id, ...changes }, { queryFulfilled, ...store }) {
        const undo = changeRow(store, id, changes);
        try {
          changeRow(store, id, (await queryFulfilled).data);
        } catch {
          undo();
        }
      },
    }),
    /** A small call through the channel, by its own choice of model or by one of ours. The row shows what it came to, also a failure. */
    testChannel: build.mutation<{ time: number }, { id: number; model: string }>({
      query: ({ id, model }) => ({ url: `channel/test/${id}`, params: { model } }),
      extraOptions: { whole: true, patient: true },
      onQueryStarted: ({ id }, { queryFulfilled, ...store }) => rereadRow(store, id, queryFulfilled),
    }),
    testAllChannels: build.mutation<null, void>({ query: () => 'channel/test', extraOptions: { patient: true } }),
    updateBalance: build.mutation<{ balance: number }, number>({
      query: (id) => `channel/update_balance/${id}`,
      extraOptions: { whole: true, patient: true },
      onQueryStarted: (id, { queryFulfilled, ...store }) => rereadRow(store, id, queryFulfilled),
    }),
    updateAllBalances: build.mutation<number, void>({
      query: () => 'channel/update_balance',
      invalidatesTags: ['Channel'],
      extraOptions: { patient: true },
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
    switchTag: build.mutation<null, { tag: string; on: boolean }>({
      query: ({ tag, on }) => ({ url: `channel/tag/${on ? 'enabled' : 'disabled'}`, method: 'POST', body: { tag } }),
      invalidatesTags: ['Channel'],
    }),
    repairChannels: build.mutation<number, void>({ query: () => ({ url: 'channel/fix', method: 'POST' }) }),
    fetchModelsOf: build.mutation<string[], number>({ query: (id) => `channel/fetch_models/${id}`, extraOptions: { patient: true } }),
    fetchModels: build.mutation<string[], FetchModelsBody>({
      query: (body) => ({ url: 'channel/fetch_models', method: 'POST', body }),
      extraOptions: { patient: true },
    }),
  }),
});

export const {
  useListChannelsQuery,
  useLazyGetChannelQuery,
  useListKnownModelsQuery,
  useCreateChannelMutation,
  useUpdateChannelMutation,
  usePatchChannelMutation,
  useTestChannelMutation,
  useTestAllChannelsMutation,
  useUpdateBalanceMutation,
  useUpdateAllBalancesMutation,
  useCopyChannelMutation,
  useDeleteChannelMutation,
  useDeleteChannelsMutation,
  useDeleteDisabledChannelsMutation,
  useTagChannelsMutation,
  useSwitchTagMutation,
  useRepairChannelsMutation,
  useFetchModelsOfMutation,
  useFetchModelsMutation,
} = channelsApi;
