import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit';
import type { Page } from '@tollgate/contracts/api/common';
import { api } from './api.ts';

type State = Parameters<typeof api.util.selectInvalidatedBy>[0];

export interface ApiStore {
  dispatch: ThunkDispatch<State, unknown, UnknownAction>;
  getState: () => State;
}

interface Lists {
  /** The tag of the lists, and the endpoint that reads them. */
  tag: 'Token' | 'Redemption' | 'Channel' | 'User' | 'Log';
  endpoint: string;
}

type Fields = Record<string, unknown>;

/**
 * Puts fields of a row into every list that shows it. What comes back takes them out again, where they are still what was put:
 * a row that has moved since is found by its id, and what came later stays.
 */
export function patchRow<Row extends { id: number }>(store: ApiStore, lists: Lists, id: number, fields: Partial<Row>): () => void {
  let before: Fields | undefined;
  inEachRow(store, lists, id, (row) => {
    before ??= Object.fromEntries(Object.keys(fields).map((name) => [name, row[name]]));
    Object.assign(row, fields);
  });
  return () =>
    inEachRow(store, lists, id, (row) => {
      for (const [name, value] of Object.entries(fields as Fields)) if (row[name] === value) row[name] = before?.[name];
    });
}

/** Whether a list shows a row of which this holds. */
export function isShown<Row extends { id: number }>(store: ApiStore, lists: Lists, id: number, holds: (row: Row) => boolean): boolean {
  let shown = false;
  inEachRow(store, lists, id, (row) => {
    shown ||= holds(row as unknown as Row);
  });
  return shown;
}

function inEachRow({ dispatch, getState }: ApiStore, { tag, endpoint }: Lists, id: number, change: (row: Fields) => void): void {
  for (const { endpointName, originalArgs } of api.util.selectInvalidatedBy(getState(), [tag])) {
    if (endpointName !== endpoint) continue;
    const recipe = (page: Page<Fields>): void => {
      const row = page.items.find((each) => each.id === id);
      if (row) change(row);
    };
    dispatch(api.util.updateQueryData(endpoint as never, originalArgs as never, recipe as never));
  }
}
