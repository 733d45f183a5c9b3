import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/callers.ts';
import type { Call } from '../../context/call.ts';
import type { Relay } from '../../context/relay.ts';
import type { JsonObject } from '../../dialects/fields.ts';
import { readBody } from '../../request/body.ts';
import { parseJson } from '../../request/json-scan.ts';
import { objectIn } from '../../request/read-request.ts';
import { cancelResponse, currentResponse, streamStored } from '../../responses/background.ts';
import { askKeeper } from '../../responses/kept-upstream.ts';
import {
  addItems,
  conversationItems,
  conversationOf,
  createConversation,
  deleteConversation,
  deleteItem,
  itemOf,
  updateConversation,
} from './conversations.ts';
import { deleteResponse, inputItems, responseRow } from './stored-responses.ts';

export interface StoredQuestion {
  caller: Caller;
  call: Call;
  /** The ids in the path. */
  id: string;
  item: string;
  query: URLSearchParams;
}

export interface StoredRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** What it answers, as JSON; undefined: it has answered itself. */
  answer(relay: Relay, question: StoredQuestion): Promise<JsonObject | undefined>;
}

/** What the Responses API keeps between two calls. Source: https://platform.openai.com/docs/api-reference/responses */
export const storedRoutes: readonly StoredRoute[] = [
  {
    method: 'GET',
    path: '/v1/responses/:id',
    async answer(relay, { caller: { userId }, call, id, query }) {
      const row = await responseRow(relay, { userId, id });
      if (row.channelId !== undefined && query.get('stream') !== 'true')
        return known(await askKeeper(relay, call, row, { method: 'GET' }), id);
      if (query.get('stream') !== 'true') return currentResponse(relay, row);
      await streamStored(relay, call, { row, after: Number(query.get('starting_after') ?? -1) });
      return undefined;
    },
  },
  {
    method: 'DELETE',
    path: '/v1/responses/:id',
    async answer(relay, { caller: { userId }, call, id }) {
      const row = await responseRow(relay, { userId, id });
      if (row.channelId !== undefined) await askKeeper(relay, call, row, { method: 'DELETE' });
      return deleteResponse(relay, { userId, id });
    },
  },
  {
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    async answer(relay, { caller: { userId }, call, id, query }) {
      const row = await responseRow(relay, { userId, id });
      if (row.channelId === undefined) return inputItems(relay, row, query);
      return known(await askKeeper(relay, call, row, { method: 'GET', rest: `/input_items?${pageQuery(query)}` }), id);
    },
  },
  {
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    answer: async (relay, { caller: { userId }, id }) => cancelResponse(relay, await responseRow(relay, { userId, id })),
  },
  {
    method: 'POST',
    path: '/v1/conversations',
    answer: async (relay, { caller, call }) => createConversation(relay, caller.userId, await bodyOf(relay, call)),
  },
  {
    method: 'GET',
    path: '/v1/conversations/:id',
    answer: (relay, { caller: { userId }, id }) => conversationOf(relay, { userId, id }),
  },
  {
    method: 'POST',
    path: '/v1/conversations/:id',
    answer: async (relay, { caller: { userId }, call, id }) => updateConversation(relay, { userId, id }, await bodyOf(relay, call)),
  },
  {
    method: 'DELETE',
    path: '/v1/conversations/:id',
    answer: (relay, { caller: { userId }, id }) => deleteConversation(relay, { userId, id }),
  },
  {
    method: 'GET',
    path: '/v1/conversations/:id/items',
    answer: (relay, { caller: { userId }, id, query }) => conversationItems(relay, { userId, id }, query),
  },
  {
    method: 'POST',
    path: '/v1/conversations/:id/items',
    answer: async (relay, { caller: { userId }, call, id }) => addItems(relay, { userId, id }, await bodyOf(relay, call)),
  },
  {
    method: 'GET',
    path: '/v1/conversations/:id/items/:item',
    answer: (relay, { caller: { userId }, id, item }) => itemOf(relay, { userId, id }, item),
  },
  {
    method: 'DELETE',
    path: '/v1/conversations/:id/items/:item',
    answer: (relay, { caller: { userId }, id, item }) => deleteItem(relay, { userId, id }, item),
  },
];

/** Throws: AppError `stored_object_not_found`. */
function known(answer: JsonObject | undefined, id: string): JsonObject {
  if (answer === undefined) throw new AppError('stored_object_not_found', { what: 'Response', id });
  return answer;
}

/** The paging parameters of a query. No others are forwarded to a provider. */
function pageQuery(query: URLSearchParams): string {
  const asked = ['after', 'limit', 'order'].flatMap((name) => query.getAll(name).map((value): [string, string] => [name, value]));
  return new URLSearchParams(asked).toString();
}

/** A body of JSON; none is an empty object. */
async function bodyOf(relay: Relay, call: Call): Promise<JsonObject> {
  const { headers } = call.request;
  if (headers['content-length'] === '0' || (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined))
    return {};
  const body = await readBody(call.request, {
    maxBytes: relay.limits.RELAY_MAX_BODY_BYTES,
    take: (bytes) => relay.openCalls.buffer(call, bytes),
  });
  return objectIn(parseJson(Buffer.concat(body.long?.whole(body.json) ?? [body.json])));
}
