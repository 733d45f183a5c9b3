import type { LoginBody, LoginView, UpdateSelfBody } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';

export const { useLoginMutation, useLogoutMutation, useUpdateSelfMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    login: build.mutation<LoginView, LoginBody>({ query: (body) => ({ url: 'user/login', method: 'POST', body }) }),
    logout: build.mutation<null, void>({ query: () => 'user/logout' }),
    updateSelf: build.mutation<null, UpdateSelfBody>({
      query: (body) => ({ url: 'user/self', method: 'PUT', body }),
      invalidatesTags: ['Self'],
    }),
  }),
});
