import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const { useGetSystemQuery, useReplayMutation, useResealMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    getSystem: build.query({ ...calls(() => call('GET /api/system')), providesTags: ['System'] }),
    reseal: build.mutation({ ...calls(() => call('POST /api/system/reseal')), invalidatesTags: ['System'] }),
    replay: build.mutation({ ...calls(() => call('POST /api/system/replay')), invalidatesTags: ['System'] }),
  }),
});
