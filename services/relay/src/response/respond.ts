import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { LimitRule } from '@tollgate/wallet';
import type { Call } from '../context/call.ts';
import { changesHeader } from '../context/changes.ts';
import { type ClientError, toClientError } from '../context/errors.ts';
import { budgetHeaderNames, budgetHeaders, isLongWait } from '../quota/budgets.ts';
import { runHeaderNames, runHeaders } from '../quota/runs.ts';

/** What callers' scripts may read of them. */
const rateLimitHeaderNames = ['Limit', 'Remaining', 'Reset']
  .flatMap((what) => [`X-RateLimit-${what}-Requests`, `X-RateLimit-${what}-Tokens`])
  .join(', ');

/** What is known of a call's limits. */
type Limited = Partial<Pick<Call, 'hold' | 'reached' | 'exceeded'>>;

/** What a rule leaves. */
interface Left {
  rule: LimitRule;
  remaining: number;
  resetMs: number;
}

/**
 * The tightest limits of requests and of tokens that the call was counted against, or was refused by, as OpenAI tells them; undefined
 * where nothing is limited. Those of a channel are nobody's business. `reset`: by then all that is counted now has left; of a refusal, when
 * there is room for this call. Source: https://platform.openai.com/docs/guides/rate-limits
 */
function rateLimitHeaders({ hold, reached }: Limited): OutgoingHttpHeaders | undefined {
  if (hold?.leases === undefined && reached === undefined) return undefined;
  const headers: OutgoingHttpHeaders = {};
  for (const [kinds, what] of [
    ['rs', 'requests'],
    ['t', 'tokens'],
  ] as const) {
    const tightest = leftOf({ hold, reached }, kinds).sort((a, b) => a.remaining - b.remaining)[0];
    if (tightest === undefined) continue;
    const { rule, remaining, resetMs } = tightest;
    headers[`x-ratelimit-limit-${what}`] = String(rule.limit);
    headers[`x-ratelimit-remaining-${what}`] = String(Math.max(0, remaining));
    headers[`x-ratelimit-reset-${what}`] = durationOf(resetMs);
  }
  return headers;
}

function leftOf({ hold, reached }: Limited, kinds: string): Left[] {
  const left: Left[] = [];
  for (const { subject, rules, used } of hold?.leases ?? []) {
    if (subject.kind === 'channel') continue;
    rules.rules.forEach((rule, i) => {
      if (kinds.includes(rule.kind)) left.push({ rule, remaining: rule.limit - (used[i] ?? 0), resetMs: rule.windowMs });
    });
  }
  if (reached !== undefined && kinds.includes(reached.rule.kind)) {
    const { rule, used, waitMs = rule.windowMs } = reached;
    return [{ rule, remaining: rule.limit - used, resetMs: waitMs }];
  }
  return left;
}

/** As OpenAI writes how long something lasts: `6m0s`, `1.5s`, `20ms`. */
function durationOf(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms / 100) / 10;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const rest = `${Number((seconds - minutes * 60).toFixed(1))}s`;
  if (hours > 0) return `${hours}h${minutes - hours * 60}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

const exposed = 'X-Request-Id, X-Oneapi-Request-Id, Request-Id, Retry-After, X-Should-Retry, X-Tollgate-Changed, X-Tollgate-Count';

/** What is as hopeless the next time; the clients of OpenAI and Anthropic would ask again, by its status. */
const isHopeless = (told: ClientError) => told.status === 501 || told.code === 'call_beyond_limit' || isLongWait(told);

/** Any page may call: keys travel in a header that no browser adds by itself. */
const openToAll = { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed };

type Answered = Pick<Call, 'id' | 'dialect'> & Partial<Pick<Call, 'changes' | 'run' | 'charged'>> & Limited;

export function answerHeaders(call: Answered, more: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { id, dialect, hold, reached, exceeded, changes, run, charged } = call;
  const headers: OutgoingHttpHeaders = { ...openToAll, 'x-request-id': id, 'x-oneapi-request-id': id, ...more };
  if (dialect.requestIdHeader !== undefined) headers[dialect.requestIdHeader] = id;
  if (changes !== undefined) headers[changesHeader] = changes.join(', ');
  const held = hold?.heldBudgets;
  if (held !== undefined || exceeded !== undefined) {
    Object.assign(headers, budgetHeaders({ held, exceeded }, dialect.name));
    headers['access-control-expose-headers'] = `${exposed}, ${budgetHeaderNames}`;
  }
  if (run !== undefined) {
    Object.assign(headers, runHeaders({ run, hold, exceeded, charged }));
    headers['access-control-expose-headers'] = `${headers['access-control-expose-headers']}, ${runHeaderNames}`;
  }
  const limits = rateLimitHeaders({ hold, reached });
  if (limits === undefined) return headers;
  return { ...headers, 'access-control-expose-headers': `${headers['access-control-expose-headers']}, ${rateLimitHeaderNames}`, ...limits };
}

export const streamHeaders: OutgoingHttpHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export const arrayHeaders: OutgoingHttpHeaders = { ...streamHeaders, 'content-type': 'application/json; charset=utf-8' };

/** Answers with an error, in the caller's dialect, when nothing else has been answered; returns it. */
export function answerError(response: ServerResponse, error: unknown, call: Answered & Pick<Call, 'language'>): ClientError {
  const told = toClientError(error, call);
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
