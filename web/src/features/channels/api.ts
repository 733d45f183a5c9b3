import type {
  CreateChannelRequest,
  FetchModelsBody,
  PatchChannelsBody,
  UpdateChannelBody,
  UpdateChannelInput,
  UpdateTagBody,
} from '@tollgate/contracts/api/channel-bodies';
import { call, calls } from '../../shared/call.ts';
import type { BulkRows } from '../../shared/ui/use-bulk.ts';
import { type ChannelFilters, changeRow, queriesApi, rereadRow } from './rows.ts';

const channelsApi = queriesApi.injectEndpoints({
  endpoints: (build) => ({
    createChannel: build.mutation({
      ...calls((body: CreateChannelRequest) => call('POST /api/channel', { body })),
      invalidatesTags: ['Channel'],
    }),
    updateChannel: build.mutation({
      ...calls((body: UpdateChannelInput) => call('PUT /api/channel', { body })),
      invalidatesTags: ['Channel'],
    }),
    /** A change made in the row itself: it shows at once, and a refusal takes it back. One of the status may take the row out of a filter. */
    patchChannel: build.mutation({
      ...calls((body: Pick<UpdateChannelBody, 'id' | 'status' | 'priority' | 'weight'>) => call('PUT /api/channel', { body })),
      invalidatesTags: (_data, error, { status }) => (error || status === undefined ? [] : ['Channel']),
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
    testChannel: build.mutation({
      ...calls(({ id, model }: { id: number; model: string }) =>
        call('GET /api/channel/test/:id', { params: { id }, query: { model }, whole: true }),
      ),
      extraOptions: { patient: true },
      onQueryStarted: ({ id }, { queryFulfilled, ...store }) => rereadRow(store, id, queryFulfilled),
    }),
    testAllChannels: build.mutation({ ...calls(() => call('GET /api/channel/test')), invalidatesTags: ['ChannelTests'] }),
    testProgress: build.query({ ...calls(() => call('GET /api/channel/test/progress')), providesTags: ['ChannelTests'] }),
    updateBalance: build.mutation({
      ...calls((id: number) => call('GET /api/channel/update_balance/:id', { params: { id }, whole: true })),
      extraOptions: { patient: true },
      onQueryStarted: (id, { queryFulfilled, ...store }) => rereadRow(store, id, queryFulfilled),
    }),
    updateAllBalances: build.mutation({
      ...calls(() => call('GET /api/channel/update_balance')),
      invalidatesTags: ['Channel'],
      extraOptions: { patient: true },
    }),
    copyChannel: build.mutation({
      ...calls((id: number) => call('POST /api/channel/:id/copy', { params: { id } })),
      invalidatesTags: ['Channel'],
    }),
    deleteChannel: build.mutation({
      ...calls((id: number) => call('DELETE /api/channel/:id', { params: { id }, whole: true })),
      invalidatesTags: ['Channel'],
    }),
    deleteChannels: build.mutation({
      ...calls((ids: number[]) => call('POST /api/channel/batch', { body: { ids }, whole: true })),
      invalidatesTags: ['Channel'],
    }),
    deleteDisabledChannels: build.mutation({
      ...calls(() => call('DELETE /api/channel/disabled', { whole: true })),
      invalidatesTags: ['Channel'],
    }),
    patchChannels: build.mutation({
      ...calls((body: BulkRows<ChannelFilters> & Pick<PatchChannelsBody, 'set'>) => call('PUT /api/channel/batch', { body, whole: true })),
      invalidatesTags: ['Channel'],
    }),
    updateTag: build.mutation({
      ...calls((body: UpdateTagBody) => call('PUT /api/channel/tag', { body, whole: true })),
      invalidatesTags: ['Channel'],
    }),
    switchTag: build.mutation({
      ...calls(({ tag, on }: { tag: string; on: boolean }) =>
        call(on ? 'POST /api/channel/tag/enabled' : 'POST /api/channel/tag/disabled', { body: { tag }, whole: true }),
      ),
      invalidatesTags: ['Channel'],
    }),
    repairChannels: build.mutation(calls(() => call('POST /api/channel/fix'))),
    fetchModelsOf: build.mutation({
      ...calls((id: number) => call('GET /api/channel/fetch_models/:id', { params: { id } })),
      extraOptions: { patient: true },
    }),
    fetchModels: build.mutation({
      ...calls((body: FetchModelsBody) => call('POST /api/channel/fetch_models', { body })),
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
  useTestProgressQuery,
  useUpdateBalanceMutation,
  useUpdateAllBalancesMutation,
  useCopyChannelMutation,
  useDeleteChannelMutation,
  useDeleteChannelsMutation,
  useDeleteDisabledChannelsMutation,
  usePatchChannelsMutation,
  useGetFacetsQuery,
  useListTestsQuery,
  useSwitchTagMutation,
  useUpdateTagMutation,
  useRepairChannelsMutation,
  useFetchModelsOfMutation,
  useFetchModelsMutation,
} = channelsApi;

/** What is known of the test, without asking. */
export const useTestProgressState = channelsApi.endpoints.testProgress.useQueryState;
/** What the store knows of a test that `key` names. */
export const selectTest = (key: string) => channelsApi.endpoints.testChannel.select({ fixedCacheKey: key, requestId: undefined });
