import { configureStore } from '@reduxjs/toolkit';
import { expect } from 'chai';
import { api } from '../src/shared/api.ts';
import { patchRow } from '../src/shared/patch-row.ts';
import { sessionReducer } from '../src/shared/session.ts';

interface Thing {
  id: number;
  status: number;
}

const { endpoints, util } = api.injectEndpoints({
  endpoints: (build) => ({
    listThings: build.query<{ items: Thing[]; total: number }, { p: number }>({
      query: () => ({ url: 'thing/' }),
      providesTags: ['Token'],
    }),
  }),
});
const lists = { tag: 'Token', endpoint: 'listThings' } as const;

describe('A change that shows in a row before the server has it', () => {
  const start = async (...items: Thing[]) => {
    const store = configureStore({
      reducer: { session: sessionReducer, [api.reducerPath]: api.reducer },
      middleware: (defaults) => defaults().concat(api.middleware),
    });
    const put = (things: Thing[]) => store.dispatch(util.upsertQueryData('listThings', { p: 1 }, { items: things, total: things.length }));
    await put(items);
    const rows = () => endpoints.listThings.select({ p: 1 })(store.getState()).data?.items;
    return { store, put, rows };
  };

  it('shows in every list that has the row, and can be taken back', async () => {
    const { store, rows } = await start({ id: 1, status: 1 }, { id: 2, status: 1 });
    const undo = patchRow<Thing>(store, lists, 2, { status: 2 });
    expect(rows()).to.deep.equal([
      { id: 1, status: 1 },
      { id: 2, status: 2 },
    ]);
    undo();
    expect(rows()).to.deep.equal([
      { id: 1, status: 1 },
      { id: 2, status: 1 },
    ]);
  });

  it('is taken back from the row it was made in, wherever that stands by now', async () => {
    const { store, put, rows } = await start({ id: 1, status: 1 }, { id: 2, status: 1 });
    const undo = patchRow<Thing>(store, lists, 2, { status: 2 });
    await put([
      { id: 2, status: 2 },
      { id: 3, status: 3 },
    ]);
    undo();
    expect(rows()).to.deep.equal([
      { id: 2, status: 1 },
      { id: 3, status: 3 },
    ]);
  });

  it('leaves a later change alone when it is taken back', async () => {
    const { store, rows } = await start({ id: 1, status: 1 });
    const undo = patchRow<Thing>(store, lists, 1, { status: 2 });
    patchRow<Thing>(store, lists, 1, { status: 3 });
    undo();
    expect(rows()).to.deep.equal([{ id: 1, status: 3 }]);
  });
});
