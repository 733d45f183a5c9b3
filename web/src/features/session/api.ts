import type { RegisterBody, ResetPasswordBody } from '@tollgate/contracts/api/account';
import type { LoginBody, UpdateSelfBody } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const {
  useLoginMutation,
  useLogoutMutation,
  useUpdateSelfMutation,
  useRegisterMutation,
  useSendVerificationMutation,
  useSendResetMutation,
  useResetPasswordMutation,
} = api.injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation(calls((body: LoginBody) => call('POST /api/user/login', { body }))),
    logout: build.mutation(calls(() => call('GET /api/user/logout'))),
    register: build.mutation(calls((body: RegisterBody) => call('POST /api/user/register', { body }))),
    sendVerification: build.mutation(calls((email: string) => call('GET /api/verification', { query: { email } }))),
    sendReset: build.mutation(calls((email: string) => call('GET /api/reset_password', { query: { email } }))),
    resetPassword: build.mutation(calls((body: ResetPasswordBody) => call('POST /api/user/reset', { body }))),
    updateSelf: build.mutation({
      ...calls((body: UpdateSelfBody) => call('PUT /api/user/self', { body })),
      invalidatesTags: ['Self'],
    }),
  }),
});
