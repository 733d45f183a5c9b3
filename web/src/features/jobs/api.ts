import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const { useListJobsQuery, useRunJobMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    listJobs: build.query({ ...calls(() => call('GET /api/job')), providesTags: ['Job'] }),
    runJob: build.mutation({
      ...calls((id: string) => call('POST /api/job/:id/run', { params: { id } })),
      invalidatesTags: ['Job'],
    }),
  }),
});
