import { stepBegins, type UsageStep } from '@tollgate/contracts';
import type { UsageSums } from '@tollgate/db';

/** Unix seconds, both inclusive. */
export interface Span {
  start: number;
  end: number;
}

/** What one key used in one step; `key` '' is the rest. `at` in unix seconds. */
export interface Counted extends UsageSums {
  key: string;
  at: number;
}

export const hourSeconds = 3600;
export const daySeconds = 24 * hourSeconds;
export const utc = 'UTC';

/** The steps of a span in a time zone. */
export interface Steps {
  step: UsageStep;
  zone: string;
  /** The begin of the step around a time, unix seconds; of a total, the begin of the span. */
  beginOf(at: number): number;
}

/** The fields that rows of a roll-up count. */
export const countedFields = ['requests', 'promptTokens', 'completionTokens', 'quota', 'uncollected'] as const;

/** A `$group` by these adds up what rows of a roll-up count. */
export const sums = Object.fromEntries(countedFields.map((field) => [field, { $sum: `$${field}` }]));

export function stepsOf(step: UsageStep, { start, end }: Span, zone: string = utc): Steps {
  if (step === 'total') return { step, zone, beginOf: () => start };
  if (step === 'hour') return { step, zone, beginOf: floorHour };
  const begins = stepBegins({ start: floorHour(start), end }, step, zone);
  return { step, zone, beginOf: (at) => begins[lastUpTo(begins, at)] ?? at };
}

/** The whole hour around a time, unix seconds. */
export function floorHour(at: number): number {
  return Math.floor(at / hourSeconds) * hourSeconds;
}

/** Whether these days are those of UTC, as in London in winter: then lists of whole days of UTC serve. */
export function areUtcDays(span: Span, zone: string): boolean {
  return zone === utc || stepBegins(span, 'day', zone).every((at) => at % daySeconds === 0);
}

/** The place of the last number that is not above `value`, of ascending ones; the first if there is none. */
function lastUpTo(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** Rows of hours or days, put together by step. A total begins with what was asked for. */
export function inSteps(rows: Iterable<Counted>, { beginOf }: Steps): Counted[] {
  const steps = new Map<string, Counted>();
  for (const { key, at: begin, ...used } of rows) {
    const at = beginOf(begin);
    const id = `${at}|${key}`;
    const sum = steps.get(id);
    if (sum) add(sum, used, 1);
    else steps.set(id, { key, at, ...used });
  }
  return [...steps.values()];
}

/** What is left of each step's sum without those that are told apart. */
export function restOf(all: Counted[], told: Counted[]): Counted[] {
  const rest = new Map(all.map((sum) => [sum.at, { ...sum }]));
  for (const one of told) {
    const sum = rest.get(one.at);
    if (sum) add(sum, one, -1);
  }
  return [...rest.values()].filter(({ requests }) => requests > 0);
}

export function add(sum: UsageSums, one: UsageSums, sign: 1 | -1): void {
  for (const field of countedFields) sum[field] += sign * one[field];
}

export function inOrder(rows: Counted[]): Counted[] {
  return rows.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
}
