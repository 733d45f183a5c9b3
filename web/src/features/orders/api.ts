import type { ListOrdersQuery } from '@tollgate/contracts/api/order';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const { useListOrdersQuery, useCompleteOrderMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    listOrders: build.query({
      ...calls((query: ListOrdersQuery) => call('GET /api/order', { query })),
      providesTags: ['Order'],
    }),
    completeOrder: build.mutation({
      ...calls((tradeNo: string) => call('POST /api/order/complete', { body: { trade_no: tradeNo } })),
      invalidatesTags: (_order, error) => (error ? [] : ['Order', 'Self', 'User', 'Log']),
    }),
  }),
});
