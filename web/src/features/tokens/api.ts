import type { Page } from '@tollgate/contracts/api/common';
import type { TokenView } from '@tollgate/contracts/api/token';
import { api } from '../../shared/api.ts';
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
    updateToken: build.mutation<TokenView, TokenBody & { id: number }>({
      query: (body) => ({ url: 'token/', method: 'PUT', body }),
      invalidatesTags: ['Token'],
    }),
    setTokenStatus: build.mutation<TokenView, { id: number; status: number }>({
      query: (body) => ({ url: 'token/', method: 'PUT', params: { status_only: 'true' }, body }),
      invalidatesTags: ['Token'],
      // The row changes at once; a refusal takes it back.
      async onQueryStarted({ id, status }, { dispatch, getState, queryFulfilled }) {
        const lists = tokensApi.util.selectInvalidatedBy(getState(), ['Token']).filter((entry) => entry.endpointName === 'listTokens');
        const patches = lists.map((entry) =>
          dispatch(
            tokensApi.util.updateQueryData('listTokens', entry.originalArgs as TokensQuery, (page) => {
              const row = page.items.find((token) => token.id === id);
              if (row) row.status = status;
            }),
          ),
        );
        await queryFulfilled.catch(() => {
          for (const patch of patches) patch.undo();
        });
      },
    }),
    deleteToken: build.mutation<null, number>({ query: (id) => ({ url: `token/${id}/`, method: 'DELETE' }), invalidatesTags: ['Token'] }),
  }),
});

export const {
  useListTokensQuery,
  useGetTokenQuery,
  useCreateTokenMutation,
  useUpdateTokenMutation,
  useSetTokenStatusMutation,
  useDeleteTokenMutation,
} = tokensApi;
