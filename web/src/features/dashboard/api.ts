import type { UsageDataQuery } from '@tollgate/contracts/api/usage-data';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export interface UsageQuestion {
  /** Everybody's usage, or that of `username`; else one's own. */
  isAll: boolean;
  query: Partial<UsageDataQuery>;
}

export const { useGetUsageQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    getUsage: build.query({
      ...calls(({ isAll, query }: UsageQuestion) => call(isAll ? 'GET /api/data' : 'GET /api/data/self', { query })),
      providesTags: ['Log'],
    }),
  }),
});
