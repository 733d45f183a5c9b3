import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const { useGetSystemQuery, useReplayMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    getSystem: build.query({ ...calls(() => call('GET /api/system')), providesTags: ['System'] }),
    replay: build.mutation({ ...calls(() => call('POST /api/system/replay')), invalidatesTags: ['System'] }),
  }),
});
