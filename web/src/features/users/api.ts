import type { Page } from '@tollgate/contracts/api/common';
import type { CreateUserBody, ManageUserBody, UpdateUserBody, UserView } from '@tollgate/contracts/api/user';
import { api } from '../../shared/api.ts';

export interface UsersQuery {
  p: number;
  page_size: number;
  keyword: string;
  group: string;
}

const usersApi = api.injectEndpoints({
  endpoints: (build) => ({
    listUsers: build.query<Page<UserView>, UsersQuery>({
      query: ({ keyword, group, ...page }) =>
        keyword || group ? { url: 'user/search', params: { ...page, keyword, group } } : { url: 'user/', params: page },
      providesTags: ['User'],
    }),
    getUser: build.query<UserView, number>({ query: (id) => `user/${id}`, providesTags: ['User'] }),
    createUser: build.mutation<null, CreateUserBody>({
      query: (body) => ({ url: 'user/', method: 'POST', body }),
      invalidatesTags: ['User'],
    }),
    updateUser: build.mutation<null, UpdateUserBody & { version?: number }>({
      query: (body) => ({ url: 'user/', method: 'PUT', body }),
      invalidatesTags: ['User', 'Self', 'Log'],
    }),
    manageUser: build.mutation<Pick<UserView, 'role' | 'status'>, ManageUserBody>({
      query: (body) => ({ url: 'user/manage', method: 'POST', body }),
      invalidatesTags: ['User'],
    }),
  }),
});

export const { useListUsersQuery, useLazyGetUserQuery, useCreateUserMutation, useUpdateUserMutation, useManageUserMutation } = usersApi;
