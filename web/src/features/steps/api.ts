import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

const first = { p: 1, page_size: 1 };

export const { useFirstChannelQuery, useFirstCallQuery, useCheckChannelMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    firstChannel: build.query({ ...calls(() => call('GET /api/channel', { query: first })), providesTags: ['Channel'] }),
    /** The newest call that was charged. */
    firstCall: build.query({ ...calls(() => call('GET /api/log', { query: { ...first, type: 2 } })), providesTags: ['Log'] }),
    checkChannel: build.mutation({
      ...calls((id: number) => call('GET /api/channel/test/:id', { params: { id }, query: { model: '' }, whole: true })),
      extraOptions: { patient: true },
      invalidatesTags: ['Channel'],
    }),
  }),
});
