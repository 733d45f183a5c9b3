import type { StoredObjectRow } from '@tollgate/db';
import type { JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../../context/relay.ts';
import { itemsInChain, type StoredResponse } from '../../dialects/responses/history.ts';
import { pageOf, shownItem } from '../../dialects/responses/stored-items.ts';
import { ownId } from '../../stored/stored-objects.ts';

interface Named {
  userId: number;
  id: string;
}

/** A response of a user, wherever it is kept. Throws: AppError `stored_object_not_found`. */
export async function responseRow(relay: Relay, { userId, id }: Named): Promise<StoredObjectRow> {
  const row = await relay.stored.find(ownId(userId, id), { patient: true });
  if (row?.kind !== 'response') throw new AppError('stored_object_not_found', { what: 'Response', id });
  return row;
}

export async function deleteResponse(relay: Relay, { userId, id }: Named): Promise<JsonObject> {
  await relay.stored.remove(ownId(userId, id));
  return { id, object: 'response', deleted: true };
}

/** All that a response had as its input, the turns before it first. Throws: AppError. */
export async function inputItems(relay: Relay, row: StoredObjectRow, query: URLSearchParams): Promise<JsonObject> {
  const { stored } = relay;
  const { response, input } = stored.open<StoredResponse>(row);
  const before = await itemsInChain(stored, row.userId, { chain: row.chain ?? [] });
  const all = [...before, ...input].map((item, at) => shownItem(item, inputId(item, String(response.id), at)));
  return pageOf(all, query);
}

/** Items that came without an id are shown with one that stays the same. */
function inputId({ id, type = 'message' }: JsonObject, responseId: string, at: number): string {
  if (typeof id === 'string' && id !== '') return id;
  return `${type === 'message' ? 'msg' : 'item'}_${responseId.replace(/^resp_/, '')}_in_${at}`;
}
