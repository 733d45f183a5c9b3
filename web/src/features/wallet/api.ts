import type { PayBody } from '@tollgate/contracts/api/order';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const { useListOwnOrdersQuery, useRedeemMutation, useGetPayableAmountQuery, useMakeOrderMutation, useMakeCardOrderMutation } =
  api.injectEndpoints({
    endpoints: (build) => ({
      listOwnOrders: build.query({
        ...calls((query: { p: number; page_size: number }) => call('GET /api/order/self', { query })),
        providesTags: ['Order'],
      }),
      redeem: build.mutation({
        ...calls((key: string) => call('POST /api/user/topup', { body: { key } })),
        invalidatesTags: ['Self', 'Log', 'Redemption'],
      }),
      // Asked by a POST, and changes nothing.
      getPayableAmount: build.query(calls((amount: number) => call('POST /api/user/amount', { body: { amount } }))),
      makeOrder: build.mutation({
        ...calls((body: PayBody) => call('POST /api/user/pay', { body, whole: true })),
        invalidatesTags: ['Order'],
      }),
      makeCardOrder: build.mutation({
        ...calls((amount: number) => call('POST /api/user/stripe/pay', { body: { amount } })),
        invalidatesTags: ['Order'],
      }),
    }),
  });
