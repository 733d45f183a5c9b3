import type { UsageDataQuery, UsageDataRow } from '@tollgate/contracts/api/usage-data';
import { type ApiMeta, api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export interface UsageQuestion {
  /** Everybody's usage, or that of `username`; else one's own. */
  isAll: boolean;
  query: Partial<UsageDataQuery>;
}

/** `about` is what the server has to say of the rows, '' when there is nothing. */
export interface UsageAnswer {
  rows: UsageDataRow[];
  about: string;
}

export const { useGetUsageQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    getUsage: build.query({
      ...calls(({ isAll, query }: UsageQuestion) => call(isAll ? 'GET /api/data' : 'GET /api/data/self', { query })),
      transformResponse: (rows: UsageDataRow[], meta: ApiMeta | undefined): UsageAnswer => ({ rows, about: meta?.message ?? '' }),
      providesTags: ['Log'],
    }),
  }),
});
