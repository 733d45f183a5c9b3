import { Binary, BSONRegExp, BSONSymbol, Decimal128, Double, Int32, Long, Timestamp } from 'bson';
import { patternOf } from '../query/pattern.ts';

/** Bytes as mingo can compare them: equal bytes and subtype are one value. */
export class BinaryView {
  readonly binary: Binary;
  constructor(binary: Binary) {
    this.binary = binary;
  }
  toString(): string {
    return `${this.binary.sub_type}:${this.binary.toString('hex')}`;
  }
}

/**
 * The value as mingo reads it: every number a plain one (longs beyond 2^53 and decimals lose digits here), patterns as
 * RegExp. Comes back as itself when nothing had to change.
 */
export function toView(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return arrayView(value);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return objectView(value as Record<string, unknown>);
  if (value instanceof Double || value instanceof Int32) return value.value;
  if (value instanceof Timestamp) return value;
  if (value instanceof Long) return value.toNumber();
  if (value instanceof Decimal128) return Number(value.toString());
  if (value instanceof BSONRegExp) return patternOf(value);
  if (value instanceof BSONSymbol) return value.value;
  if (value instanceof Binary) return new BinaryView(value);
  return value;
}

function arrayView(values: unknown[]): unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < values.length; i++) {
    const view = toView(values[i]);
    if (view !== values[i]) {
      copy ??= values.slice();
      copy[i] = view;
    }
  }
  return copy ?? values;
}

function objectView(document: Record<string, unknown>): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name in document) {
    const view = toView(document[name]);
    if (view !== document[name]) {
      copy ??= { ...document };
      copy[name] = view;
    }
  }
  return copy ?? document;
}

/** Undoes what `toView` wrapped, so that mingo's results can be encoded. Changes `value` in place. */
export function fromView(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof BinaryView) return value.binary;
  if (Array.isArray(value)) for (let i = 0; i < value.length; i++) value[i] = fromView(value[i]);
  else if (Object.getPrototypeOf(value) === Object.prototype) {
    const document = value as Record<string, unknown>;
    for (const name in document) {
      if (typeof document[name] === 'object') document[name] = fromView(document[name]);
    }
  }
  return value;
}
