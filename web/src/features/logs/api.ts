import type { LogFilters } from '@tollgate/contracts/api/log';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

/** `everybody`: as an administrator, who sees all rows; others see their own. */
export type LogScope = { everybody: boolean; filters: LogFilters };

function paramsOf({ everybody, filters }: LogScope): Record<string, string | number> {
  const { username, channel, ...own } = filters;
  const all = everybody ? filters : own;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== 0));
}

export const { useListLogsQuery, useGetLogStatQuery, useGetUserOfLogQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listLogs: build.query({
      ...calls(({ p, page_size, ...scope }: LogScope & { p: number; page_size: number }) =>
        call(scope.everybody ? 'GET /api/log' : 'GET /api/log/self', { query: { p, page_size, ...paramsOf(scope) } }),
      ),
      providesTags: ['Log'],
    }),
    getLogStat: build.query({
      ...calls((scope: LogScope) => call(scope.everybody ? 'GET /api/log/stat' : 'GET /api/log/self/stat', { query: paramsOf(scope) })),
      providesTags: ['Log'],
    }),
    getUserOfLog: build.query({ ...calls((id: number) => call('GET /api/user/:id', { params: { id } })), providesTags: ['User'] }),
  }),
});
