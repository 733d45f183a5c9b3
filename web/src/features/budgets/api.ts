import type { CreateBudgetBody, UpdateBudgetBody } from '@tollgate/contracts/api/budget';
import type { ChangeRunBody } from '@tollgate/contracts/api/run';
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

export type RunsQuery = Pick<BudgetsQuery, 'p' | 'page_size' | 'everybody'>;

export const {
  useListBudgetsQuery,
  useLazyGetBudgetQuery,
  useGetBudgetHistoryQuery,
  useCreateBudgetMutation,
  useUpdateBudgetMutation,
  useDeleteBudgetMutation,
  useListRunsQuery,
  useGetRunQuery,
  useChangeRunMutation,
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
    listRuns: build.query({
      ...calls(({ everybody, ...query }: RunsQuery) =>
        everybody ? call('GET /api/run', { query }) : call('GET /api/run/self', { query }),
      ),
      providesTags: ['Budget'],
    }),
    getRun: build.query({
      ...calls((id: string) => call('GET /api/run/detail', { query: { id } })),
      providesTags: ['Budget'],
    }),
    changeRun: build.mutation({
      ...calls((body: ChangeRunBody) => call('PUT /api/run', { body })),
      invalidatesTags: ['Budget'],
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
