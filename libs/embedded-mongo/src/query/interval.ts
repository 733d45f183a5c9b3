import { classOf, keyOf } from '../values/key.ts';

/** A place in the order of keys: just before every key that starts with `key`, or just after them. */
export interface Bound {
  key: Buffer;
  after: boolean;
}

/** All keys from `low` to `high`. A point holds exactly the keys of one value. */
export interface Interval {
  low: Bound;
  high: Bound;
  point: boolean;
}

/** The interval of one value. */
export function pointOf(value: unknown): Interval {
  const key = keyOf(value);
  return { low: { key, after: false }, high: { key, after: true }, point: true };
}

/** The values of `value`'s own type on one side of it: range operators never cross types. */
export function rangeOf(operator: '$gt' | '$gte' | '$lt' | '$lte', value: unknown): Interval {
  const key = keyOf(value);
  const kind = key[0] as number;
  if (operator === '$gt' || operator === '$gte') {
    return { low: { key, after: operator === '$gt' }, high: { key: Buffer.from([kind + 1]), after: false }, point: false };
  }
  const low = kind === numberClass ? lowestNumber : Buffer.from([kind - 1]); // NaN is below every number and in no range
  return { low: { key: low, after: false }, high: { key, after: operator === '$lte' }, point: false };
}

const numberClass = classOf(0x10);
const lowestNumber = Buffer.from([numberClass, 0, 0, 0, 0, 0, 0, 0, 1]);

/** All strings that start with `prefix`. */
export function prefixOf(prefix: string): Interval {
  const key = keyOf(prefix).subarray(0, -2);
  return { low: { key, after: false }, high: { key, after: true }, point: false };
}

const afterAll = Buffer.from([0xff, 0xff]);

/** Bytes that order like the bound among keys: no key continues with 0xff 0xff, turned around or not. */
export function boundBytes(bound: Bound): Buffer {
  return bound.after ? Buffer.concat([bound.key, afterAll]) : bound.key;
}

function compareBounds(a: Bound, b: Bound): number {
  return Buffer.compare(boundBytes(a), boundBytes(b));
}

/** Sorted, without overlaps. */
export function union(intervals: Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => compareBounds(a.low, b.low));
  const merged: Interval[] = [];
  for (const next of sorted) {
    const last = merged.at(-1);
    if (last && compareBounds(next.low, last.high) < 0) {
      if (compareBounds(next.high, last.high) > 0) merged[merged.length - 1] = { low: last.low, high: next.high, point: false };
    } else merged.push(next);
  }
  return merged;
}

/** What lies in both lists (each sorted, without overlaps). */
export function intersect(left: Interval[], right: Interval[]): Interval[] {
  const both: Interval[] = [];
  for (const a of left) {
    for (const b of right) {
      const low = compareBounds(a.low, b.low) >= 0 ? a.low : b.low;
      const high = compareBounds(a.high, b.high) <= 0 ? a.high : b.high;
      if (compareBounds(low, high) < 0) both.push({ low, high, point: a.point || b.point });
    }
  }
  return both;
}

/** The same interval in an index field that runs downwards. */
export function inverted({ low, high, point }: Interval): Interval {
  const flip = (bound: Bound): Bound => ({ key: Buffer.from(bound.key.map((byte) => ~byte & 0xff)), after: !bound.after });
  return { low: flip(high), high: flip(low), point };
}

/** Whether `key` lies in one of the intervals. */
export function contains(intervals: Interval[], key: Buffer): boolean {
  for (const { low, high, point } of intervals) {
    if (point) {
      if (key.equals(low.key)) return true;
    } else if (isBeyond(low, key) && !isBeyond(high, key)) return true;
  }
  return false;
}

/** Whether `key` stands after the bound. */
function isBeyond(bound: Bound, key: Buffer): boolean {
  if (!bound.after) return Buffer.compare(key, bound.key) >= 0;
  const order = Buffer.compare(key, bound.key);
  return order > 0 && !startsWith(key, bound.key);
}

function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}
