import type { Usage } from '@tollgate/contracts';
import { completionTokensOf, defaultUsageBound } from '@tollgate/contracts';
import type { Delivered } from './output-meter.ts';
import type { JsonObject, UsageReading } from './provider.ts';

/** Takes a count as the provider states it. Missing is 0. */
export type Counter = (name: string, value: unknown) => number;

/**
 * A provider's counts as our classes. One count that is no integer >= 0 spoils the reading: what is wrong in one place is not
 * trusted in another. Undefined when every class is zero, for that is how gateways say that they do not know.
 */
export function usageReading(build: (count: Counter) => Usage): UsageReading | undefined {
  let reason: string | undefined;
  const usage = build((name, value) => {
    if (value === undefined || value === null) return 0;
    if (typeof value !== 'number') {
      reason ??= `${name} is no number`;
      return 0;
    }
    if (!Number.isSafeInteger(value) || value < 0) {
      reason ??= `${name} is ${value}`;
      return 0;
    }
    return value;
  });
  if (reason !== undefined) return { trusted: false, reason };
  return Object.values(usage).some((amount) => amount > 0) ? { trusted: true, usage } : undefined;
}

/** The reading with what the answer states of priced fields; values that are no text are no statement. */
export function servedBy(reading: UsageReading | undefined, stated: JsonObject): UsageReading | undefined {
  if (!reading?.trusted) return reading;
  let served: Record<string, string> | undefined;
  for (const field in stated) {
    const value = stated[field];
    if (typeof value !== 'string' || value === '') continue;
    served ??= {};
    served[field] = value.toLowerCase();
  }
  return served === undefined ? reading : { ...reading, served };
}

/** The reading, distrusted when a class has more tokens than one call can have. */
export function withinBound(reading: UsageReading | undefined, bound: number = defaultUsageBound): UsageReading | undefined {
  if (reading === undefined || !reading.trusted) return reading;
  const { usage } = reading;
  for (const name of Object.keys(usage) as (keyof Usage)[]) {
    if ((usage[name] ?? 0) > bound) return { trusted: false, reason: `${name} is ${usage[name]}, more than ${bound}` };
  }
  return reading;
}

/** No tokenizer in use makes tokens that are longer than this on average of a whole answer, not even of one that repeats itself. */
const longestToken = 64;

/**
 * A provider's bill that is never less than what was delivered; the same object where it may stand. Its count is exact and ours
 * is an estimate, so it stands unless it cannot be of this answer: it was stated before the answer ended (`isLast` false), or
 * names no tokens for text that came, or fewer than any tokenizer makes of it. Then our count fills what is missing. Where the
 * provider's total has no room for such tokens (`isSummed`), it counts them in another class.
 */
export function notBelow(delivered: Delivered, usage: Usage, { isLast, isSummed }: { isLast: boolean; isSummed?: boolean }): Usage {
  const short = missingFrom(usage, delivered, { isLast, isSummed });
  return short <= 0 ? usage : { ...usage, textOutput: usage.textOutput + short };
}

function missingFrom(usage: Usage, delivered: Delivered, { isLast, isSummed = false }: { isLast: boolean; isSummed?: boolean }): number {
  const stated = completionTokensOf(usage);
  const short = () => delivered.textOutput + delivered.reasoningOutput - stated;
  if (isLast && stated > 0) {
    const isTextMissing = !isSummed && usage.textOutput + usage.audioOutput + (usage.imageOutput ?? 0) === 0 && delivered.textOutput > 0;
    if (isTextMissing) return Math.max(short(), delivered.textOutput);
    if (stated * longestToken >= delivered.characters) return 0;
  }
  return short();
}

/** Hands out parts of a total until it is used up, so that parts that overlap never sum to more than it. */
export function share(total: number): (part: number) => number {
  let left = total;
  return (part) => {
    const taken = Math.min(part, left);
    left -= taken;
    return taken;
  };
}
