import type { ImportBody } from '@tollgate/contracts/api/import';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

export const { useGetImportQuery, useStartImportMutation, useUndoImportMutation } = api.injectEndpoints({
  endpoints: (build) => ({
    getImport: build.query({ ...calls(() => call('GET /api/import')), providesTags: ['Import'] }),
    startImport: build.mutation({ ...calls((body: ImportBody) => call('POST /api/import', { body })), invalidatesTags: ['Import'] }),
    undoImport: build.mutation({
      ...calls((body: { name: string; apply: boolean }) => call('POST /api/import/undo', { body })),
      invalidatesTags: ['Import'],
    }),
  }),
});
