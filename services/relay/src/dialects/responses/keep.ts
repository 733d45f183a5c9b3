import type { StoredObjectRow } from '@tollgate/db';
import { isObject, type JsonObject, objectsIn } from '@tollgate/providers';
import type { AskedCall, Keeping } from '../../context/call.ts';
import { longestStored, ownId, type StoredObjects } from '../../stored/stored-objects.ts';
import { itemsInChain, type StoredResponse } from './history.ts';
import { itemsOf, newItemId } from './stored-items.ts';

/**
 * Stores an answer after it was sent, in an event-loop turn of its own, without delaying the call. `last` holds the whole response, as JSON or as the data of the
 * last event of a stream.
 */
export function keepAnswer({ stored }: { stored: StoredObjects }, call: AskedCall, last: Buffer | string): void {
  const { keeping } = call;
  if (keeping === undefined || last.length > longestStored * 2) return;
  call.keeping = undefined;
  const { envelope, channel } = call;
  const isKeptThere = keeping.isStored && channel.settings.stored_responses && channel.provider.responses !== undefined;
  const keeper = isKeptThere ? { channelId: channel.id, ...(channel.chosenKey && { keyId: channel.chosenKey.id }) } : undefined;
  setImmediate(() => {
    const response = responseIn(last.toString());
    if (typeof response?.id === 'string') keepResponse(stored, keeping, { response: { ...response, ...statedIn(envelope) }, keeper });
  });
}

/** What only we know of the state of a response; its provider was sent a request without it. */
function statedIn(envelope: JsonObject | undefined): JsonObject {
  const { store, previous_response_id, conversation } = envelope ?? {};
  return { store, previous_response_id, ...(conversation !== undefined && { conversation }) };
}

/** Stores a response, and what its turn adds to a conversation. */
export function keepResponse(
  stored: StoredObjects,
  keeping: Keeping,
  { response, keeper }: { response: JsonObject; keeper?: Pick<StoredObjectRow, 'channelId' | 'keyId'> | undefined },
): void {
  const { userId, isStored, conversation } = keeping;
  const _id = ownId(userId, String(response.id));
  stored.writeLater(conversation === undefined ? [_id] : [_id, conversation], async () => {
    const input = itemsOf(keeping.input);
    const items = [...input, ...objectsIn(response.output)];
    const rows = conversation === undefined ? [] : itemRows(stored, { userId, conversation, items });
    if (!isStored) return rows;
    const object = { _id, userId, kind: 'response' as const, itemIds: itemIdsOf(items) };
    if (keeper !== undefined) return [...rows, stored.row({ ...object, ...keeper, tokens: tokensOf(response) })];
    return [...rows, stored.row(...(await asStored(stored, keeping, { object, response, input })))];
  });
}

const mostItemIds = 2_000;

/** The ids by which items of a response are found. */
export function itemIdsOf(items: readonly JsonObject[]): string[] {
  return items.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])).slice(0, mostItemIds);
}

/** A provider may use one id for several responses: what the later one would overwrite is stored with it. */
async function asStored(
  stored: StoredObjects,
  { userId, chain }: Keeping,
  { object, response, input }: { object: Omit<StoredObjectRow, 'bytes' | 'at' | 'expiresAt'>; response: JsonObject; input: JsonObject[] },
): Promise<Parameters<StoredObjects['row']>> {
  const isTaken = chain.includes(String(response.id));
  const before = isTaken ? await itemsInChain(stored, userId, { chain }) : [];
  const content: StoredResponse = { response, input: [...before, ...input] };
  return [{ ...object, ...(chain.length > 0 && !isTaken && { chain }) }, content];
}

/** Items at the end of a conversation. Each has an id of its own there, its own if it has one. */
export function itemRows(
  stored: StoredObjects,
  { userId, conversation, items }: { userId: number; conversation: string; items: readonly JsonObject[] },
): StoredObjectRow[] {
  const base = stored.now() * 1_000;
  return items.map((item, at) => {
    const id = typeof item.id === 'string' && item.id !== '' ? item.id : newItemId(item);
    const place = base + at;
    return stored.row(
      { _id: `${conversation}/${place}`, userId, kind: 'item', parent: conversation, place, itemIds: [id] },
      { ...item, id },
    );
  });
}

function tokensOf({ usage }: JsonObject): number {
  const total = isObject(usage) ? usage.total_tokens : undefined;
  return typeof total === 'number' && Number.isSafeInteger(total) && total > 0 ? total : 0;
}

/** The response of a body, or of the last event of a stream. */
function responseIn(text: string): JsonObject | undefined {
  const at = text.lastIndexOf('\ndata: ');
  const json = text.startsWith('{') || at < 0 ? text.slice(text.indexOf('{')) : text.slice(at + '\ndata: '.length);
  try {
    const value: unknown = JSON.parse(json);
    if (!isObject(value)) return undefined;
    return isObject(value.response) ? value.response : value;
  } catch {
    return undefined;
  }
}
