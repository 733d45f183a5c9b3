import { defaultQuotaPerUnit } from '@tollgate/contracts/constants';
import i18next from 'i18next';
import { useMemo } from 'react';
import { type ApiError, api } from './api.ts';
import { call, calls } from './call.ts';
import type { MoneyDisplay } from './format.ts';
import { storeStatus } from './stored-status.ts';
import { toast } from './ui/toasts.ts';

/** Calls that several features need: what the site is, who one is, which groups and models there are to choose from. */
export const {
  useGetStatusQuery,
  useLazyGetStatusQuery,
  useGetSelfQuery,
  useListGroupsQuery,
  useListUsableGroupsQuery,
  useListUsableModelsQuery,
} = api.injectEndpoints({
  endpoints: (build) => ({
    getStatus: build.query({
      ...calls(() => call('GET /api/status')),
      providesTags: ['Status'],
      keepUnusedDataFor: 3600,
      async onQueryStarted(_nothing, { queryFulfilled }) {
        await queryFulfilled.then(({ data }) => storeStatus(data), sayStatusFailed);
      },
    }),
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

function sayStatusFailed({ error }: { error: unknown }): void {
  const t = i18next.getFixedT(null, 'shared');
  toast('error', (error as Partial<ApiError>).kind === 'offline' ? t('error.statusOffline') : t('error.statusFailed'));
}

/** How this site shows money: as dollars or as quota, and how much quota a dollar is. */
export function useMoneyDisplay(): MoneyDisplay {
  const { data } = useGetStatusQuery();
  const quotaPerUnit = data?.quota_per_unit || defaultQuotaPerUnit;
  const asCurrency = data?.display_in_currency ?? true;
  return useMemo(() => ({ quotaPerUnit, asCurrency }), [quotaPerUnit, asCurrency]);
}
