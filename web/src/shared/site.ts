import { defaultQuotaPerUnit } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { api } from './api.ts';
import { call, calls } from './call.ts';
import type { MoneyDisplay } from './format.ts';

/** Calls that several features need: what the site is, who one is, which groups and models there are to choose from. */
export const { useGetStatusQuery, useGetSelfQuery, useListGroupsQuery, useListUsableGroupsQuery, useListUsableModelsQuery } =
  api.injectEndpoints({
    endpoints: (build) => ({
      getStatus: build.query({ ...calls(() => call('GET /api/status')), providesTags: ['Status'], keepUnusedDataFor: 3600 }),
      getSelf: build.query({ ...calls(() => call('GET /api/user/self')), providesTags: ['Self'] }),
      listGroups: build.query({ ...calls(() => call('GET /api/group')), providesTags: ['Group'] }),
      listUsableGroups: build.query({ ...calls(() => call('GET /api/user/self/groups')), providesTags: ['Group'] }),
      listUsableModels: build.query({
        ...calls(() => call('GET /api/user/models')),
        transformResponse: (names: string[] | null) => names ?? [],
        providesTags: ['Model'],
      }),
    }),
  });

/** How this site shows money: as dollars or as quota, and how much quota a dollar is. */
export function useMoneyDisplay(): MoneyDisplay {
  const { data } = useGetStatusQuery();
  const quotaPerUnit = data?.quota_per_unit || defaultQuotaPerUnit;
  const asCurrency = data?.display_in_currency ?? true;
  return useMemo(() => ({ quotaPerUnit, asCurrency }), [quotaPerUnit, asCurrency]);
}
