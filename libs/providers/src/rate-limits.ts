type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The pairs of headers in which providers say what is left of a rate limit, and when it is full again.
 * Sources, read 2026-11-26: https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers,
 * https://docs.anthropic.com/en/api/rate-limits#response-headers
 */
const limits = [
  ...['requests', 'tokens'].map((what) =>
    headersOf(`x-ratelimit-limit-${what}`, `x-ratelimit-remaining-${what}`, `x-ratelimit-reset-${what}`),
  ),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) =>
    headersOf(`anthropic-ratelimit-${what}-limit`, `anthropic-ratelimit-${what}-remaining`, `anthropic-ratelimit-${what}-reset`),
  ),
];

function headersOf(limit: string, remaining: string, reset: string): { limit: string; remaining: string; reset: string } {
  return { limit, remaining, reset };
}

/** With a smaller share left, a call of ordinary size is likely to be refused. */
const leastShare = 0.01;
const longestMs = 3_600_000;

/** In how many ms a rate limit that is all but used up is full again, by a provider's headers; 0: none is, or nothing says when. */
export function restMs(headers: Headers | undefined, atMs: number): number {
  if (headers === undefined) return 0;
  let longest = 0;
  for (const { limit, remaining, reset } of limits) {
    const left = headers[remaining];
    if (left === undefined) continue;
    const most = Number(headers[limit] ?? 0);
    if (!(Number(left) <= (Number.isFinite(most) ? most * leastShare : 0))) continue;
    longest = Math.max(longest, untilReset(headers[reset], atMs));
  }
  return Math.min(longest, longestMs);
}

/** OpenAI writes a duration (`1s`, `6m0s`, `20ms`), Anthropic a moment; others seconds. */
function untilReset(stated: string | string[] | undefined, atMs: number): number {
  if (typeof stated !== 'string' || stated === '' || stated.length > 40) return 0;
  const seconds = Number(stated);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  if (stated.includes('T')) return Math.max(0, (Date.parse(stated) || 0) - atMs);
  let ms = 0;
  for (const [, amount, unit] of stated.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h)/g))
    ms += Number(amount) * (unitMs[unit as string] as number);
  return ms;
}

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
