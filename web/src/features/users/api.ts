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
  }),
});

export const { useListUsersQuery, useLazyGetUserQuery, useCreateUserMutation, useUpdateUserMutation, useManageUserMutation } = usersApi;
