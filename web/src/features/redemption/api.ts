import type { CreateRedemptionsBody, RedemptionView, UpdateRedemptionBody } from '@tollgate/contracts/api/redemption';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';
import { patchRow } from '../../shared/patch-row.ts';

export interface RedemptionsQuery {
  p: number;
  page_size: number;
  keyword: string;
}

export const {
  useListRedemptionsQuery,
  useLazyGetRedemptionQuery,
  useCreateRedemptionsMutation,
  useUpdateRedemptionMutation,
  useSetRedemptionStatusMutation,
  useDeleteRedemptionMutation,
} = api.injectEndpoints({
  endpoints: (build) => ({
    listRedemptions: build.query({
      ...calls(({ keyword, ...page }: RedemptionsQuery) =>
        keyword ? call('GET /api/redemption/search', { query: { ...page, keyword } }) : call('GET /api/redemption', { query: page }),
      ),
      providesTags: ['Redemption'],
    }),
    getRedemption: build.query({
      ...calls((id: number) => call('GET /api/redemption/:id', { params: { id } })),
      providesTags: ['Redemption'],
    }),
    createRedemptions: build.mutation({
      ...calls((body: CreateRedemptionsBody) => call('POST /api/redemption', { body })),
      invalidatesTags: ['Redemption'],
    }),
    updateRedemption: build.mutation({
      ...calls((body: UpdateRedemptionBody) => call('PUT /api/redemption', { body })),
      invalidatesTags: ['Redemption'],
    }),
    setRedemptionStatus: build.mutation({
      ...calls((body: { id: number; status: 1 | 2 }) => call('PUT /api/redemption', { query: { status_only: 'true' }, body })),
      invalidatesTags: ['Redemption'],
      // The row changes at once; a refusal takes it back.
      async onQueryStarted({ id, status }, { queryFulfilled, ...store }) {
        const undo = patchRow<RedemptionView>(store, { tag: 'Redemption', endpoint: 'listRedemptions' }, id, { status });
        await queryFulfilled.catch(undo);
      },
    }),
    deleteRedemption: build.mutation({
      ...calls((id: number) => call('DELETE /api/redemption/:id', { params: { id }, whole: true })),
      invalidatesTags: ['Redemption'],
    }),
  }),
});
