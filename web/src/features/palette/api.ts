import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

const most = 6;
const page = { p: 1, page_size: most };

export const { useFindTokensQuery, useFindChannelsQuery, useFindUsersQuery } = api.injectEndpoints({
  endpoints: (build) => ({
    findTokens: build.query({
      ...calls((keyword: string) => call('GET /api/token/search', { query: { ...page, keyword } })),
      providesTags: ['Token'],
    }),
    findChannels: build.query({
      ...calls((keyword: string) => call('GET /api/channel/search', { query: { ...page, keyword } })),
      providesTags: ['Channel'],
    }),
    findUsers: build.query({
      ...calls((keyword: string) => call('GET /api/user/search', { query: { ...page, keyword } })),
      providesTags: ['User'],
    }),
  }),
});
