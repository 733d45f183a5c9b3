import type { ChatRequest, JsonObject } from '@tollgate/providers';
import type { ClientError } from '../../context/errors.ts';
import type { CountRoute, RelayRoute } from '../../context/route.ts';
import { chat } from '../../modes/text.ts';
import { type CallerDialect, keysIn, type ModelView } from '../dialect.ts';
import { checkInteger, wrong } from '../fields.ts';
import { EventWriter } from './event-writer.ts';
import { countedRequest, messagesRequest } from './messages-request.ts';
import { PassedEvents } from './passed-events.ts';
import { wholeMessage } from './whole-message.ts';

const limits = { least: 1, most: 1000 };
const usualLimit = 20;

/**
 * The page that is asked for of a list in the order of its names. A model that has gone meanwhile still marks its place.
 * Throws: AppError `invalid_request`. Source: https://docs.anthropic.com/en/api/models-list
 */
function pageOf(models: readonly ModelView[], query: URLSearchParams): JsonObject {
  const limit = Number(query.get('limit') ?? usualLimit);
  checkInteger({ limit }, 'limit', limits);
  const [after, before] = [query.get('after_id'), query.get('before_id')];
  if (after !== null && before !== null) throw wrong('after_id and before_id cannot be given together', 'after_id');
  const asked = models.filter(({ id }) => (after === null || id > after) && (before === null || id < before));
  const data = (before === null ? asked.slice(0, limit) : asked.slice(-limit)).map(toModel);
  return { data, has_more: data.length < asked.length, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

function toModel({ id, created }: ModelView): JsonObject {
  return { type: 'model', id, display_name: id, created_at: new Date(created * 1000).toISOString(), lifecycle: 'active' };
}

/** Who calls as Anthropic is called. Source: https://docs.anthropic.com/en/api/errors */
export const anthropic: CallerDialect = {
  name: 'anthropic',
  endpoint: '/v1/messages',
  credentials: (request) => keysIn(request, 'x-api-key'),
  passedHeaders: ['anthropic-version', 'anthropic-beta'],
  requestIdHeader: 'request-id',
  answerModel: { whole: ['model'], event: ['message', 'model'] },
  answerId: (callId) => `msg_${callId}`,
  errorBody,
  errorEvent: (error) => `event: error\ndata: ${errorBody(error)}\n\n`,
  heartbeat: 'event: ping\ndata: {"type": "ping"}\n\n',
  modelList: pageOf,
  model: toModel,
};

const types = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** What clients themselves know what to do about: without a thread they send the whole conversation. */
const knownCodes = new Set<unknown>(['thread_unsupported_request']);

/** What comes before a stated limit, at most 80 characters ahead of it. */
const limitWords = ['max', 'limit', 'at most'];

/**
 * What Anthropic says of a prompt that is too long: Claude Code and others shorten a conversation by these words alone.
 * Source: https://github.com/anthropics/claude-code/issues/46348
 */
function tooLong(message: string): string {
  if (/^prompt is too long/i.test(message)) return message;
  const at = message.lastIndexOf(' (request id: ');
  const [stated, suffix] = at < 0 ? [message, ''] : [message.slice(0, at), message.slice(at)];
  let limit = 0;
  let most = 0;
  let end = 0;
  for (const { 0: digits, index } of stated.matchAll(/\d[\d,]*/g)) {
    const before = stated.slice(Math.max(end, index - 87), index).toLowerCase();
    end = index + digits.length;
    const number = digits.length < 3 ? 0 : Number(digits.slice(0, 13).replaceAll(',', ''));
    most = Math.max(most, number);
    if (limit === 0 && limitWords.some((word) => before.includes(word))) limit = number;
  }
  return limit > 0 && most > limit ? `prompt is too long: ${most} tokens > ${limit} maximum${suffix}` : `prompt is too long: ${message}`;
}

function errorBody({ status, message: stated, code, failedGeneration, requestId }: ClientError): string {
  const message = code === 'context_length_exceeded' ? tooLong(stated) : stated;
  const type = types.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const known = knownCodes.has(code) ? { error_code: code } : undefined;
  const details = failedGeneration === undefined ? known : { ...known, failed_generation: failedGeneration };
  return JSON.stringify({ type: 'error', error: { type, message, details }, request_id: requestId });
}

/** POST /v1/messages. */
export const messagesRoute: RelayRoute<ChatRequest> = {
  dialect: anthropic,
  rules: chat,
  read: messagesRequest,
  whole: wholeMessage,
  writer: (reading, { isSame }) => (isSame && reading.isAsSent ? new PassedEvents(reading) : new EventWriter(reading)),
};

/** POST /v1/messages/count_tokens. */
export const countRoute: CountRoute<ChatRequest> = {
  dialect: anthropic,
  rules: chat,
  read: countedRequest,
  answer: (tokens) => ({ input_tokens: tokens }),
};
