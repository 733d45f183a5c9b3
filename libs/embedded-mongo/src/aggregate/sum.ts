import { Long } from 'bson';
import { type BsonNumber, calculate, isNumeric } from '../values/numbers.ts';

/** A sum under way. Plain data and functions: a dashboard has thousands of sums, and closures would cost several objects each. */
export interface Sum {
  /** As long as all are whole numbers that a double adds exactly. */
  plain: number;
  allInts: boolean;
  exact: BsonNumber | undefined;
}

export function startSum(): Sum {
  return { plain: 0, allInts: true, exact: undefined };
}

/** Adds with MongoDB's types. What is no number adds nothing. */
export function addTo(sum: Sum, next: unknown): void {
  if (typeof next === 'number' && sum.exact === undefined && Number.isSafeInteger(sum.plain + next)) {
    sum.plain += next;
    if (next !== (next | 0)) sum.allInts = false;
  } else if (isNumeric(next)) {
    const sofar = totalOf(sum);
    sum.exact = calculate('+', sofar, next) ?? Number(String(sofar)) + Number(String(next));
  }
}

export function totalOf({ plain, allInts, exact }: Sum): BsonNumber {
  return exact ?? (allInts && plain !== (plain | 0) ? Long.fromNumber(plain) : plain);
}
