import type { CreateBudgetBody, UpdateBudgetBody } from '@tollgate/contracts/api/budget';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export interface BudgetsQuery {
  p: number;
  page_size: number;
  subject: string;
  near: number;
  /** All budgets, for administrators; otherwise those that apply to the caller. */
  everybody: boolean;
}

export const {
  useListBudgetsQuery,
  useLazyGetBudgetQuery,
  useGetBudgetHistoryQuery,
  useCreateBudgetMutation,
  useUpdateBudgetMutation,
  useDeleteBudgetMutation,
} = api.injectEndpoints({
  endpoints: (build) => ({
    listBudgets: build.query({
      ...calls(({ everybody, ...query }: BudgetsQuery) =>
        everybody ? call('GET /api/budget', { query }) : call('GET /api/budget/self', { query }),
      ),
      providesTags: ['Budget'],
    }),
    getBudget: build.query({
      ...calls((id: number) => call('GET /api/budget/:id', { params: { id } })),
      providesTags: ['Budget'],
    }),
    getBudgetHistory: build.query({
      ...calls((id: number) => call('GET /api/budget/:id/history', { params: { id } })),
      providesTags: ['Budget'],
    }),
    createBudget: build.mutation({
      ...calls((body: CreateBudgetBody) => call('POST /api/budget', { body })),
      invalidatesTags: ['Budget'],
    }),
    updateBudget: build.mutation({
      ...calls((body: UpdateBudgetBody) => call('PUT /api/budget', { body })),
      invalidatesTags: ['Budget'],
    }),
    deleteBudget: build.mutation({
      ...calls((id: number) => call('DELETE /api/budget/:id', { params: { id } })),
      invalidatesTags: ['Budget'],
    }),
  }),
});
