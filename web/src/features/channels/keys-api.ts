import type { AddKeysBody, PatchKeysBody } from '@tollgate/contracts/api/channel-bodies';
import { api } from '../../shared/api.ts';
import { call, calls } from '../../shared/call.ts';

type OfChannel<Body> = Body & { channel: number };

export const { useListKeysQuery, useAddKeysMutation, usePatchKeysMutation, useDeleteKeysMutation, useTestKeyMutation } =
  api.injectEndpoints({
    endpoints: (build) => ({
      listKeys: build.query({
        ...calls(({ channel, page, size }: { channel: number; page: number; size: number }) =>
          call('GET /api/channel/:id/keys', { params: { id: channel }, query: { p: page, page_size: size } }),
        ),
        providesTags: ['Channel'],
      }),
      addKeys: build.mutation({
        ...calls(({ channel, ...body }: OfChannel<AddKeysBody>) => call('POST /api/channel/:id/keys', { params: { id: channel }, body })),
        invalidatesTags: ['Channel'],
      }),
      patchKeys: build.mutation({
        ...calls(({ channel, ...body }: OfChannel<PatchKeysBody>) => call('PUT /api/channel/:id/keys', { params: { id: channel }, body })),
        invalidatesTags: ['Channel'],
      }),
      deleteKeys: build.mutation({
        ...calls(({ channel, ids }: OfChannel<{ ids: number[] }>) =>
          call('POST /api/channel/:id/keys/delete', { params: { id: channel }, body: { ids } }),
        ),
        invalidatesTags: ['Channel'],
      }),
      testKey: build.mutation({
        ...calls(({ channel, id }: OfChannel<{ id: number }>) =>
          call('GET /api/channel/test/:id', { params: { id: channel }, query: { key_id: id }, whole: true }),
        ),
        extraOptions: { patient: true },
      }),
    }),
  });
