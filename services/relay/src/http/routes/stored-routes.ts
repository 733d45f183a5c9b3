import type { Caller } from '../../auth/callers.ts';
import type { Call } from '../../context/call.ts';
import type { Relay } from '../../context/relay.ts';
import type { JsonObject } from '../../dialects/fields.ts';
import { readBody } from '../../request/body.ts';
import { parseJson } from '../../request/json-scan.ts';
import { objectIn } from '../../request/read-request.ts';
import { cancelResponse, currentResponse, streamStored } from '../../responses/background.ts';
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
      if (query.get('stream') !== 'true') return currentResponse(relay, row);
      await streamStored(relay, call, { row, after: Number(query.get('starting_after') ?? -1) });
      return undefined;
    },
  },
  {
    method: 'DELETE',
    path: '/v1/responses/:id',
    async answer(relay, { caller: { userId }, id }) {
      await responseRow(relay, { userId, id });
      return deleteResponse(relay, { userId, id });
    },
  },
  {
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    answer: async (relay, { caller: { userId }, id, query }) => inputItems(relay, await responseRow(relay, { userId, id }), query),
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
