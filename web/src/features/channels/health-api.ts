import type { StatsStep } from '@tollgate/contracts/api/channel-stats';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const { useListHealthQuery, useGetChannelStatsQuery, useListFailuresQuery, useGetHealthChannelQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listHealth: build.query(calls((ids: string) => call('GET /api/channel/health', { query: { ids } }))),
    getChannelStats: build.query(
      calls(({ id, step, start }: { id: number; step: StatsStep; start: number }) =>
        call('GET /api/channel/:id/stats', { params: { id }, query: { step, start_timestamp: start } }),
      ),
    ),
    listFailures: build.query({
      ...calls((channel: number) => call('GET /api/log', { query: { type: 5, channel, p: 1, page_size: 10 } })),
      providesTags: ['Log'],
    }),
    getHealthChannel: build.query({
      ...calls((id: number) => call('GET /api/channel/:id', { params: { id } })),
      providesTags: ['Channel'],
    }),
  }),
});
