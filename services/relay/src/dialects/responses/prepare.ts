import { isObject, type JsonObject, patchJson } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Call } from '../../context/call.ts';
import { noteChange } from '../../context/changes.ts';
import type { Relay } from '../../context/relay.ts';
import type { RelayRoute, SentRequest } from '../../context/route.ts';
import { longestStored, ownId } from '../../stored/stored-objects.ts';
import { checkFlag, wrong } from '../fields.ts';
import { checkResults, conversationOf, type History, itemsNamed, responsesUpTo } from './history.ts';
import { envelopeOf } from './response-object.ts';
import { isReference, itemsOf } from './stored-items.ts';

type Asked = Parameters<NonNullable<RelayRoute['prepare']>>[2];

/** The tokens and turns after which a chain of responses is stored whole again, so that no turn has to read more of them. */
const longestChain = 100;

/**
 * Fills in what a request of the Responses API refers to: earlier responses, a conversation, single items. What the provider of a channel keeps
 * itself stays as it is, and binds the call to that channel. Notes what is to be stored of the call. Throws, or rejects: AppError.
 */
export function prepareCreate(relay: Relay, call: Call, asked: Asked): Promise<void> | undefined {
  const { sent, caller } = asked;
  const { json } = sent;
  for (const field of ['store', 'background']) checkFlag(json, field);
  const { isEnabled, isStored } = storingOf(relay, sent);
  if (!isStored && json.store === true) noteChange(sent, 'store', isEnabled ? 'set to false (too long)' : 'set to false (storing is off)');
  const conversation = conversationId(json);
  call.envelope = {
    ...envelopeOf(json, call.dialect.answerId(call.id)),
    store: isStored,
    ...(conversation !== undefined && { conversation: { id: conversation } }),
  };
  if (isStored || conversation !== undefined) {
    if (!isEnabled) throw new AppError('storing_disabled', {}, { param: 'conversation' });
    call.keeping = {
      userId: caller.userId,
      input: json.input,
      chain: [],
      isStored,
      bytes: sent.bytes.length,
      conversation: conversation === undefined ? undefined : ownId(caller.userId, conversation),
    };
  }
  return prepareInput(relay, call, asked);
}

/** The same for requests of which nothing is stored. */
export function prepareInput(relay: Relay, call: Call, { sent, caller }: Asked): Promise<void> | undefined {
  const { json } = sent;
  const [previous, conversation] = [previousId(json), conversationId(json)];
  if (previous !== undefined && conversation !== undefined)
    throw wrong('previous_response_id and conversation cannot be used together', 'previous_response_id');
  const refers = Array.isArray(json.input) && json.input.some((item) => isObject(item) && isReference(item));
  return previous === undefined && conversation === undefined && !refers
    ? undefined
    : fillIn(relay, call, { sent, userId: caller.userId, previous, conversation });
}

function storingOf({ settings: { options } }: Relay, { json, bytes }: SentRequest): { isEnabled: boolean; isStored: boolean } {
  const isEnabled = options.StoreResponsesEnabled;
  return { isEnabled, isStored: isEnabled && json.store !== false && bytes.length <= longestStored };
}

interface Referring {
  sent: SentRequest;
  userId: number;
  previous: string | undefined;
  conversation: string | undefined;
}

async function fillIn(relay: Relay, call: Call, { sent, userId, previous, conversation }: Referring): Promise<void> {
  const { keeping } = call;
  const history = await historyOf(relay, userId, { previous, conversation });
  if (history.boundTo !== undefined) {
    sent.boundTo = history.boundTo;
    return;
  }
  const { items, boundTo } = await itemsNamed(relay.stored, userId, itemsOf(sent.json.input));
  const all = [...history.items, ...items];
  if (boundTo === undefined) {
    if (previous !== undefined || conversation !== undefined) checkResults(all);
    setInput(sent, all);
  } else sent.boundTo = boundTo;
  relay.openCalls.buffer(call, sent.bytes.length);
  if (sent.bytes.length > relay.limits.RELAY_MAX_BODY_BYTES)
    throw new AppError('body_too_large', { limit: relay.limits.RELAY_MAX_BODY_BYTES });
  if (keeping === undefined) return;
  const isLong = history.chain.length >= longestChain;
  keeping.chain = isLong ? [] : history.chain;
  keeping.input = isLong ? all : items;
}

async function historyOf(
  relay: Relay,
  userId: number,
  { previous, conversation }: Pick<Referring, 'previous' | 'conversation'>,
): Promise<History> {
  if (previous !== undefined) return responsesUpTo(relay.stored, userId, previous);
  return conversation === undefined ? { items: [], chain: [] } : conversationOf(relay.stored, userId, conversation);
}

/** The whole conversation as the input, in the place of what referred to it. */
function setInput(sent: SentRequest, input: JsonObject[]): void {
  const { previous_response_id: _previous, conversation: _conversation, ...rest } = sent.json;
  sent.json = { ...rest, input };
  sent.bytes = patchJson(sent.bytes, { set: { input }, remove: ['previous_response_id', 'conversation'] });
}

const longestId = 256;

/** Throws: AppError `invalid_request`. */
export function previousId({ previous_response_id: id }: JsonObject): string | undefined {
  return idIn(id, 'previous_response_id');
}

function conversationId({ conversation }: JsonObject): string | undefined {
  return idIn(isObject(conversation) ? conversation.id : conversation, 'conversation');
}

function idIn(id: unknown, param: string): string | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id !== 'string' || id === '' || id.length > longestId) throw wrong(`${param} must be an id`, param);
  return id;
}
