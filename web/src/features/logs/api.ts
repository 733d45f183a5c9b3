import type { Page } from '@tollgate/contracts/api/common';
import type { LogFilters, LogStat, LogView } from '@tollgate/contracts/api/log';
import type { UserView } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';

/** `everybody`: as an administrator, who sees all rows; others see their own. */
export type LogScope = { everybody: boolean; filters: LogFilters };

function paramsOf({ everybody, filters }: LogScope): Record<string, string | number> {
  const { username, channel, ...own } = filters;
  const all = everybody ? filters : own;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '' && value !== 0));
}

export const { useListLogsQuery, useGetLogStatQuery, useGetUserOfLogQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    listLogs: build.query<Page<LogView>, LogScope & { p: number; page_size: number }>({
      query: ({ p, page_size, ...scope }) => ({
        url: scope.everybody ? 'log/' : 'log/self/',
        params: { p, page_size, ...paramsOf(scope) },
      }),
      providesTags: ['Log'],
    }),
    getLogStat: build.query<LogStat, LogScope>({
      query: (scope) => ({ url: scope.everybody ? 'log/stat' : 'log/self/stat', params: paramsOf(scope) }),
      providesTags: ['Log'],
    }),
    getUserOfLog: build.query<UserView, number>({ query: (id) => `user/${id}`, providesTags: ['User'] }),
  }),
});
