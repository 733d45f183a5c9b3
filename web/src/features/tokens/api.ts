import type { PatchTokensBody, TokenView, UpdateTokenBody } from '@tollgate/contracts/api/token';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';
import { patchRow } from '../../shared/patch-row.ts';
import type { BulkRows } from '../../shared/ui/use-bulk.ts';
import type { TokenBody, TokenFormResult } from './token-form.ts';

export interface TokenFilters {
  keyword: string;
  token: string;
}

export interface TokensQuery extends TokenFilters {
  p: number;
  page_size: number;
}

const tokensApi = api.injectEndpoints({
  endpoints: (build) => ({
    listTokens: build.query({
      ...calls(({ keyword, token, ...page }: TokensQuery) =>
        keyword || token ? call('GET /api/token/search', { query: { ...page, keyword, token } }) : call('GET /api/token', { query: page }),
      ),
      providesTags: ['Token'],
    }),
    getToken: build.query({ ...calls((id: number) => call('GET /api/token/:id', { params: { id } })), providesTags: ['Token'] }),
    createToken: build.mutation({
      ...calls((body: TokenFormResult) => call('POST /api/token', { body })),
      transformResponse: (made: TokenView | TokenView[]) => [made].flat(),
      invalidatesTags: ['Token'],
    }),
    updateToken: build.mutation({
      ...calls((body: Partial<TokenBody> & { id: number; version?: number }) => call('PUT /api/token', { body })),
      invalidatesTags: ['Token'],
    }),
    setTokenStatus: build.mutation({
      ...calls((body: Pick<UpdateTokenBody, 'id' | 'status'>) => call('PUT /api/token', { query: { status_only: 'true' }, body })),
      invalidatesTags: ['Token'],
      // The row changes at once; a refusal takes it back.
      async onQueryStarted({ id, status }, { queryFulfilled, ...store }) {
        const undo = patchRow<TokenView>(store, { tag: 'Token', endpoint: 'listTokens' }, id, { status });
        await queryFulfilled.catch(undo);
      },
    }),
    patchTokens: build.mutation({
      ...calls((body: BulkRows<TokenFilters> & Pick<PatchTokensBody, 'set'>) => call('PUT /api/token/batch', { body, whole: true })),
      invalidatesTags: ['Token'],
    }),
    deleteTokens: build.mutation({
      ...calls((body: BulkRows<TokenFilters>) => call('POST /api/token/batch', { body, whole: true })),
      invalidatesTags: ['Token'],
    }),
    deleteToken: build.mutation({
      ...calls((id: number) => call('DELETE /api/token/:id', { params: { id }, whole: true })),
      invalidatesTags: ['Token'],
    }),
  }),
});

export const {
  useListTokensQuery,
  useLazyGetTokenQuery,
  useCreateTokenMutation,
  useUpdateTokenMutation,
  useSetTokenStatusMutation,
  useDeleteTokenMutation,
  usePatchTokensMutation,
  useDeleteTokensMutation,
} = tokensApi;
