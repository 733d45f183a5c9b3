import type { OutgoingHttpHeaders } from 'node:http';
import type { LimitRule } from '@tollgate/wallet';
import type { Call } from '../pipeline/call.ts';

/** What callers' scripts may read of them. */
export const rateLimitHeaderNames = ['Limit', 'Remaining', 'Reset']
  .flatMap((what) => [`X-RateLimit-${what}-Requests`, `X-RateLimit-${what}-Tokens`])
  .join(', ');

/** What is known of a call's limits. */
export type Limited = Partial<Pick<Call, 'hold' | 'reached'>>;

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
export function rateLimitHeaders({ hold, reached }: Limited): OutgoingHttpHeaders | undefined {
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
