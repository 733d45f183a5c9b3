import type { LoginBody, UpdateSelfBody } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

/** With a solved challenge, where the site asks for one. */
interface Solved {
  query: { turnstile?: string };
}

export const { useLoginMutation, useLogoutMutation, useUpdateSelfMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation(calls(({ body, query }: Solved & { body: LoginBody }) => call('POST /api/user/login', { body, query }))),
    logout: build.mutation(calls(() => call('GET /api/user/logout'))),
    updateSelf: build.mutation({
      ...calls((body: UpdateSelfBody) => call('PUT /api/user/self', { body })),
      invalidatesTags: ['Self'],
    }),
  }),
});
