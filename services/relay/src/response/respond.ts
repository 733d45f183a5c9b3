import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { changesHeader } from '../context/changes.ts';
import type { Call } from '../pipeline/call.ts';
import { type ToldError, toldError } from './client-error.ts';
import { type Limited, rateLimitHeaderNames, rateLimitHeaders } from './rate-limit-headers.ts';

const exposed = 'X-Request-Id, X-Oneapi-Request-Id, Request-Id, Retry-After, X-Should-Retry, X-Tollgate-Changed, X-Tollgate-Count';

/** What is as hopeless the next time; the clients of OpenAI and Anthropic would ask again, by its status. */
const isHopeless = ({ status, code }: ToldError) => status === 501 || code === 'call_beyond_limit';

/** Any page may call: keys travel in a header that no browser adds by itself. */
const openToAll = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed };

type Answered = Pick<Call, 'id' | 'dialect'> & Partial<Pick<Call, 'changes'>> & Limited;

export function answerHeaders({ id, dialect, hold, reached, changes }: Answered, more: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ...openToAll, 'x-request-id': id, 'x-oneapi-request-id': id, ...more };
  if (dialect.requestIdHeader !== undefined) headers[dialect.requestIdHeader] = id;
  if (changes !== undefined) headers[changesHeader] = changes.join(', ');
  const limits = rateLimitHeaders({ hold, reached });
  if (limits === undefined) return headers;
  return { ...headers, 'access-control-expose-headers': `${exposed}, ${rateLimitHeaderNames}`, ...limits };
}

export const streamHeaders: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export const arrayHeaders: OutgoingHttpHeaders = { ...streamHeaders, 'content-type': 'application/json; charset=utf-8' };

/** Answers with an error, in the caller's dialect, when nothing else has been answered; returns it. */
export function answerError(response: ServerResponse, error: unknown, call: Answered & Pick<Call, 'language'>): ToldError {
  const told = toldError(error, call);
  if (!response.headersSent && !response.destroyed) {
    const body = call.dialect.errorBody(told);
    const headers = answerHeaders(call, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    if (told.retryAfterSeconds !== undefined) headers['retry-after'] = String(told.retryAfterSeconds);
    if (told.allow !== undefined) headers.allow = told.allow;
    if (isHopeless(told)) headers['x-should-retry'] = 'false';
    response.writeHead(told.status, headers);
    response.end(body); // a text leaves in one write with its head
  }
  return told;
}

/** What a browser asks before it calls from another site. */
export function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, {
    ...openToAll,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-headers': '*, Authorization',
    'access-control-max-age': '86400',
  });
  response.end();
}
