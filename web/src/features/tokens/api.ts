import type { Page } from '@tollgate/contracts/api/common';
import type { TokenView } from '@tollgate/contracts/api/token';
import { api } from '../../shared/api.ts';
import { patchRow } from '../../shared/patch-row.ts';
import type { TokenBody } from './token-form.ts';

export interface TokensQuery {
  p: number;
  page_size: number;
  keyword: string;
  token: string;
}

const tokensApi = api.injectEndpoints({
  endpoints: (build) => ({
    listTokens: build.query<Page<TokenView>, TokensQuery>({
      query: ({ keyword, token, ...page }) =>
        keyword || token ? { url: 'token/search', params: { ...page, keyword, token } } : { url: 'token/', params: page },
      providesTags: ['Token'],
    }),
    getToken: build.query<TokenView, number>({ query: (id) => `token/${id}`, providesTags: ['Token'] }),
    createToken: build.mutation<TokenView | null, TokenBody>({
      query: (body) => ({ url: 'token/', method: 'POST', body }),
      invalidatesTags: ['Token'],
    }),
    updateToken: build.mutation<TokenView, Partial<TokenBody> & { id: number; version?: number }>({
      query: (body) => ({ url: 'token/', method: 'PUT', body }),
      invalidatesTags: ['Token'],
    }),
    setTokenStatus: build.mutation<TokenView, { id: number; status: number }>({
      query: (body) => ({ url: 'token/', method: 'PUT', params: { status_only: 'true' }, body }),
      invalidatesTags: ['Token'],
      // The row changes at once; a refusal takes it back.
      async onQueryStarted({ id, status }, { queryFulfilled, ...store }) {
        const undo = patchRow<TokenView>(store, { tag: 'Token', endpoint: 'listTokens' }, id, { status });
        await queryFulfilled.catch(undo);
      },
    }),
    deleteToken: build.mutation<null, number>({ query: (id) => ({ url: `token/${id}/`, method: 'DELETE' }), invalidatesTags: ['Token'] }),
  }),
});

export const {
  useListTokensQuery,
  useLazyGetTokenQuery,
  useCreateTokenMutation,
  useUpdateTokenMutation,
  useSetTokenStatusMutation,
  useDeleteTokenMutation,
} = tokensApi;
