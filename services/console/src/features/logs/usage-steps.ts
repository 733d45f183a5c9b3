import type { UsageStep } from '@tollgate/contracts';
import type { UsageSums } from '@tollgate/db';

const hour = 3600;
const day = 24 * hour;
const week = 7 * day;
/** Weeks begin on Monday; the clock's first day was a Thursday. */
const firstMonday = 4 * day;

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

/** A `$group` by these adds up what rows of a roll-up count. */
export const sums = Object.fromEntries(
  ['requests', 'promptTokens', 'completionTokens', 'quota'].map((field) => [field, { $sum: `$${field}` }]),
);

/** Rows of hours or days, put together by step. A total begins with what was asked for. */
export function inSteps(rows: Iterable<Counted>, step: UsageStep, start: number): Counted[] {
  const steps = new Map<string, Counted>();
  for (const { key, at: begin, ...used } of rows) {
    const at = step === 'total' ? start : beginOf(begin, step);
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
  sum.requests += sign * one.requests;
  sum.promptTokens += sign * one.promptTokens;
  sum.completionTokens += sign * one.completionTokens;
  sum.quota += sign * one.quota;
}

export function inOrder(rows: Counted[]): Counted[] {
  return rows.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
}

/** The step that a moment is in begins then. */
export function beginOf(seconds: number, step: UsageStep): number {
  if (step === 'hour') return Math.floor(seconds / hour) * hour;
  if (step === 'day') return Math.floor(seconds / day) * day;
  if (step === 'week') return Math.floor((seconds - firstMonday) / week) * week + firstMonday;
  return seconds;
}
