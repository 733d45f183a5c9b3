import type { Bound } from '@tollgate/contracts/api/third-party';
import type { CreateUserBody, ManageUserBody, UpdateUserBody } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export interface UsersQuery {
  p: number;
  page_size: number;
  keyword: string;
  group: string;
}

const usersApi = api.injectEndpoints({
  endpoints: (build) => ({
    listUsers: build.query({
      ...calls(({ keyword, group, ...page }: UsersQuery) =>
        keyword || group ? call('GET /api/user/search', { query: { ...page, keyword, group } }) : call('GET /api/user', { query: page }),
      ),
      providesTags: ['User'],
    }),
    getUser: build.query({ ...calls((id: number) => call('GET /api/user/:id', { params: { id } })), providesTags: ['User'] }),
    createUser: build.mutation({
      ...calls((body: CreateUserBody) => call('POST /api/user', { body })),
      invalidatesTags: ['User'],
    }),
    updateUser: build.mutation({
      ...calls((body: UpdateUserBody) => call('PUT /api/user', { body })),
      invalidatesTags: ['User', 'Self', 'Log'],
    }),
    manageUser: build.mutation({
      ...calls((body: ManageUserBody) => call('POST /api/user/manage', { body, whole: true })),
      invalidatesTags: ['User'],
    }),
    waysIn: build.query({ ...calls((id: number) => call('GET /api/user/:id/ways_in', { params: { id } })), providesTags: ['User'] }),
    takeOffSecondStep: build.mutation({
      ...calls((id: number) => call('DELETE /api/user/:id/2fa', { params: { id } })),
      invalidatesTags: ['User', 'TwoFactor'],
    }),
    takeOffPasskeys: build.mutation({
      ...calls((id: number) => call('DELETE /api/user/:id/reset_passkey', { params: { id } })),
      invalidatesTags: ['User', 'Passkey'],
    }),
    takeOffBinding: build.mutation({
      ...calls((params: { id: number; provider: Bound }) => call('DELETE /api/user/:id/bindings/:provider', { params })),
      invalidatesTags: ['User', 'Self'],
    }),
  }),
});

export const {
  useListUsersQuery,
  useLazyGetUserQuery,
  useCreateUserMutation,
  useUpdateUserMutation,
  useManageUserMutation,
  useWaysInQuery,
  useTakeOffSecondStepMutation,
  useTakeOffPasskeysMutation,
  useTakeOffBindingMutation,
} = usersApi;
