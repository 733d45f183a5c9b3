import type { DecideProposalsBody, ListProposalsQuery, UploadCatalogBody } from '@tollgate/contracts/api/catalog';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const {
  useListProposalsQuery,
  useListPriceSourcesQuery,
  useDecideProposalsMutation,
  useSyncCatalogMutation,
  useUploadCatalogMutation,
} = api.injectEndpoints({
  endpoints: (build) => ({
    listProposals: build.query({
      ...calls((query: Partial<ListProposalsQuery>) => call('GET /api/catalog/proposal', { query })),
      providesTags: ['Proposal'],
    }),
    listPriceSources: build.query({ ...calls(() => call('GET /api/catalog/source')), providesTags: ['Proposal'] }),
    decideProposals: build.mutation({
      ...calls((body: DecideProposalsBody) => call('POST /api/catalog/proposal', { body })),
      invalidatesTags: ['Proposal', 'Model', 'Option', 'Channel'],
    }),
    syncCatalog: build.mutation({ ...calls(() => call('POST /api/catalog/sync')), invalidatesTags: ['Proposal', 'Job'] }),
    uploadCatalog: build.mutation({
      ...calls((body: UploadCatalogBody) => call('POST /api/catalog/upload', { body })),
      invalidatesTags: ['Proposal', 'Model', 'Option'],
    }),
  }),
});
