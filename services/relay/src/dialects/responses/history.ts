import { noKey } from '@tollgate/contracts';
import type { StoredObjectRow } from '@tollgate/db';
import { type JsonObject, objectsIn } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { ownId, type StoredObjects } from '../../stored/stored-objects.ts';
import { worded, wrong } from '../fields.ts';
import { isReference, itemsOf } from './stored-items.ts';

/** What is sealed of a response. */
export interface StoredResponse {
  response: JsonObject;
  /** The new items of its input: those before them belong to the responses before it. */
  input: JsonObject[];
}

/** Where a provider keeps the turns before a call. */
export interface BoundTo {
  channelId: number;
  /** `noKey` of a channel that had one key. */
  keyId: number;
  tokens: number;
}

function keeperOf({ channelId = 0, keyId = noKey }: StoredObjectRow, tokens = 0): BoundTo {
  return { channelId, keyId, tokens };
}

/** The conversation before a call. */
export interface History {
  items: JsonObject[];
  /** The ids of the responses that it consists of, the first one first. */
  chain: string[];
  /** The channel and key whose provider keeps it, and so many tokens of it; `items` is empty then. */
  boundTo?: BoundTo;
}

/** A response of a user that has ended. Throws: AppError `previous_response_not_found`, `response_in_progress`. */
export async function responsesUpTo(stored: StoredObjects, userId: number, id: string): Promise<History> {
  const last = await stored.find(ownId(userId, id), { patient: true });
  if (last?.kind !== 'response') throw missing(id);
  if (last.channelId !== undefined) return { items: [], chain: [], boundTo: keeperOf(last, last.tokens) };
  if (stored.isAlive(last)) throw new AppError('response_in_progress', { id }, { param: 'previous_response_id' });
  const chain = [...(last.chain ?? []), id];
  return { items: await itemsInChain(stored, userId, { chain, known: last }), chain };
}

/** All items of a chain of responses, in their order. Throws: AppError `previous_response_not_found` when one of them was deleted. */
export async function itemsInChain(
  stored: StoredObjects,
  userId: number,
  { chain, known }: { chain: readonly string[]; known?: StoredObjectRow },
): Promise<JsonObject[]> {
  const others = chain.map((id) => ownId(userId, id)).filter((_id) => _id !== known?._id);
  const rows = others.length === 0 ? new Map<string, StoredObjectRow>() : await stored.findAll(others);
  if (known !== undefined) rows.set(known._id, known);
  return chain.flatMap((id) => {
    const row = rows.get(ownId(userId, id));
    if (row?.sealed === undefined) throw missing(id);
    const { response, input } = stored.open<StoredResponse>(row);
    return [...input, ...objectsIn(response.output)];
  });
}

/** The items of a user's conversation. Throws: AppError `stored_object_not_found`. */
export async function conversationOf(stored: StoredObjects, userId: number, id: string): Promise<History> {
  const row = await stored.find(ownId(userId, id), { patient: true });
  if (row?.kind !== 'conversation') throw new AppError('stored_object_not_found', { what: 'Conversation', id }, { param: 'conversation' });
  const items = await stored.partsOf(row._id);
  return { items: items.map((item) => stored.open<JsonObject>(item)), chain: [] };
}

/**
 * Refuses results of calls that are not in a conversation, as OpenAI does; a conversation that was compacted may hold them out of sight.
 * Throws: AppError `invalid_request`.
 */
export function checkResults(items: readonly JsonObject[]): void {
  const called = new Set<unknown>();
  for (const { type, call_id } of items) {
    if (type === 'compaction') return;
    if (String(type).endsWith('_call')) called.add(call_id);
  }
  const orphan = items.find(({ type, call_id }) => String(type).endsWith('_call_output') && !called.has(call_id));
  if (orphan !== undefined) throw wrong(`No tool call found for the output with call_id ${worded(orphan.call_id)}`, 'input');
}

/**
 * The items of an input, with those that it only names filled in. Reasoning that is not stored is left out: its model can do without. Items that a
 * provider keeps stay as they are; `boundTo` says which then. Throws: AppError `item_not_stored`.
 */
export async function itemsNamed(stored: StoredObjects, userId: number, input: JsonObject[]): Promise<Pick<History, 'items' | 'boundTo'>> {
  const named = new Set(input.filter(isReference).map(({ id }) => String(id)));
  if (named.size === 0) return { items: input };
  const found = new Map<string, JsonObject>();
  let boundTo: BoundTo | undefined;
  for (const row of await stored.withItems(userId, [...named])) {
    if (row.channelId !== undefined) boundTo ??= keeperOf(row);
    for (const item of itemsIn(stored, row)) {
      const id = String(item.id);
      if (named.has(id) && !found.has(id)) found.set(id, item);
    }
  }
  const items = input.flatMap((item) => {
    if (!isReference(item)) return [item];
    const id = String(item.id);
    const known = found.get(id) ?? (boundTo === undefined ? undefined : item);
    if (known === undefined && !id.startsWith('rs_')) throw new AppError('item_not_stored', { id }, { param: 'input' });
    return known === undefined ? [] : [known];
  });
  return { items, ...(boundTo !== undefined && { boundTo }) };
}

function itemsIn(stored: StoredObjects, row: StoredObjectRow): JsonObject[] {
  if (row.sealed === undefined) return [];
  if (row.kind === 'item') return [stored.open<JsonObject>(row)];
  const { response, input } = stored.open<StoredResponse>(row);
  return [...itemsOf(input), ...objectsIn(response.output)];
}

function missing(id: string): AppError {
  return new AppError('previous_response_not_found', { id }, { param: 'previous_response_id' });
}
