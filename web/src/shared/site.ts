import type { StatusView } from '@tollgate/contracts/api/status';
import type { UserGroupsView, UserView } from '@tollgate/contracts/api/user';
import { defaultQuotaPerUnit } from '@tollgate/contracts/constants';
import { useMemo } from 'react';
import { api } from './api.ts';
import type { MoneyDisplay } from './format.ts';

/** Calls that several features need: what the site is, who one is, which groups and models there are to choose from. */
export const { useGetStatusQuery, useGetSelfQuery, useListGroupsQuery, useListUsableGroupsQuery, useListUsableModelsQuery } =
  api.injectEndpoints({
    endpoints: (build) => ({
      getStatus: build.query<StatusView, void>({ query: () => 'status', providesTags: ['Status'], keepUnusedDataFor: 3600 }),
      getSelf: build.query<UserView, void>({ query: () => 'user/self', providesTags: ['Self'] }),
      listGroups: build.query<string[], void>({ query: () => 'group/', providesTags: ['Group'] }),
      listUsableGroups: build.query<UserGroupsView, void>({ query: () => 'user/self/groups', providesTags: ['Group'] }),
      listUsableModels: build.query<string[], void>({
        query: () => 'user/models',
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
