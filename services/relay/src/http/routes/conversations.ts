import type { StoredObjectRow } from '@tollgate/db';
import { isObject, type JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../../context/relay.ts';
import { wrong } from '../../dialects/fields.ts';
import { itemsNamed } from '../../dialects/responses/history.ts';
import { itemRows } from '../../dialects/responses/keep.ts';
import { itemsOf, newId, pageOf, shownItem } from '../../dialects/responses/stored-items.ts';
import { ownId } from '../../stored/stored-objects.ts';

/** What is sealed of a conversation. */
interface Conversation {
  metadata: JsonObject;
}

/** Source: https://platform.openai.com/docs/api-reference/conversations/create-item */
const mostItems = 20;

interface Named {
  userId: number;
  id: string;
}

/** Creates a conversation, perhaps with its first items. Throws: AppError. */
export async function createConversation(relay: Relay, userId: number, body: JsonObject): Promise<JsonObject> {
  assertStoring(relay);
  const { stored } = relay;
  const id = newId('conv');
  const _id = ownId(userId, id);
  const { items } = await itemsNamed(stored, userId, itemsIn(body.items));
  const row = stored.row({ _id, userId, kind: 'conversation' }, { metadata: metadataIn(body) } satisfies Conversation);
  await stored.write([row, ...itemRows(stored, { userId, conversation: _id, items })]);
  return conversationView(relay, row);
}

export async function conversationOf(relay: Relay, named: Named): Promise<JsonObject> {
  return conversationView(relay, await conversationRow(relay, named));
}

/** Replaces the metadata of a conversation. Throws: AppError. */
export async function updateConversation(relay: Relay, named: Named, body: JsonObject): Promise<JsonObject> {
  const { _id, userId, kind, at } = await conversationRow(relay, named);
  const row = { ...relay.stored.row({ _id, userId, kind }, { metadata: metadataIn(body) } satisfies Conversation), at };
  await relay.stored.write([row]);
  return conversationView(relay, row);
}

export async function deleteConversation(relay: Relay, { userId, id }: Named): Promise<JsonObject> {
  await conversationRow(relay, { userId, id });
  await relay.stored.remove(ownId(userId, id));
  return { id, object: 'conversation.deleted', deleted: true };
}

export async function conversationItems(relay: Relay, named: Named, query: URLSearchParams): Promise<JsonObject> {
  const { _id } = await conversationRow(relay, named);
  const page = pageOf(
    (await relay.stored.partsOf(_id)).map((row) => ({ id: row.itemIds?.[0] ?? '', row })),
    query,
  );
  return { ...page, data: page.data.map(({ row }) => itemView(relay, row)) };
}

/** Adds items to the end of a conversation. Throws: AppError. */
export async function addItems(relay: Relay, named: Named, body: JsonObject): Promise<JsonObject> {
  const { stored } = relay;
  const { _id, userId } = await conversationRow(relay, named);
  const { items } = await itemsNamed(stored, userId, itemsIn(body.items));
  if (items.length === 0) throw wrong('items is required: a list of items', 'items');
  const added = itemRows(stored, { userId, conversation: _id, items });
  await stored.write(added);
  return pageOf(
    added.map((row) => itemView(relay, row)),
    new URLSearchParams({ order: 'asc', limit: '100' }),
  );
}

export async function itemOf(relay: Relay, named: Named, itemId: string): Promise<JsonObject> {
  return itemView(relay, await itemRow(relay, named, itemId));
}

/** Deletes one item. Resolves to the conversation, as OpenAI answers. */
export async function deleteItem(relay: Relay, named: Named, itemId: string): Promise<JsonObject> {
  const row = await itemRow(relay, named, itemId);
  await relay.stored.remove(row._id);
  return conversationOf(relay, named);
}

async function conversationRow(relay: Relay, { userId, id }: Named): Promise<StoredObjectRow> {
  const row = await relay.stored.find(ownId(userId, id));
  if (row?.kind !== 'conversation') throw new AppError('stored_object_not_found', { what: 'Conversation', id });
  return row;
}

async function itemRow(relay: Relay, named: Named, itemId: string): Promise<StoredObjectRow> {
  const { userId, id } = named;
  const found = await relay.stored.partWith(userId, ownId(userId, id), itemId);
  if (found !== undefined) return found;
  await conversationRow(relay, named);
  throw new AppError('stored_object_not_found', { what: 'Item', id: itemId });
}

function conversationView(relay: Relay, row: StoredObjectRow): JsonObject {
  const { metadata } = relay.stored.open<Conversation>(row);
  const id = row._id.slice(row._id.indexOf(':') + 1);
  return { id, object: 'conversation', created_at: Math.floor(row.at.getTime() / 1000), metadata };
}

function itemView(relay: Relay, row: StoredObjectRow): JsonObject {
  return shownItem(relay.stored.open<JsonObject>(row), row.itemIds?.[0] ?? '');
}

function itemsIn(items: unknown): JsonObject[] {
  if (items !== undefined && items !== null && !Array.isArray(items)) throw wrong('items must be a list of items', 'items');
  const list = itemsOf(items, 'items');
  if (list.length > mostItems) throw wrong(`items may be at most ${mostItems} at a time`, 'items');
  return list;
}

const mostPairs = 16;

/** Source: https://platform.openai.com/docs/api-reference/conversations/create */
function metadataIn({ metadata }: JsonObject): JsonObject {
  if (metadata === undefined || metadata === null) return {};
  const isFitting =
    isObject(metadata) &&
    Object.keys(metadata).length <= mostPairs &&
    Object.entries(metadata).every(([key, value]) => key.length <= 64 && typeof value === 'string' && value.length <= 512);
  if (!isFitting)
    throw wrong(`metadata must be at most ${mostPairs} pairs of texts, keys of 64 and values of 512 characters at most`, 'metadata');
  return metadata;
}

function assertStoring({ settings: { options } }: Relay): void {
  if (!options.StoreResponsesEnabled) throw new AppError('storing_disabled');
}
