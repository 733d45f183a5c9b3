import { Long } from 'bson';
import { type BsonNumber, calculate, isNumeric } from '../values/numbers.ts';

/** A sum with MongoDB's types. What is no number adds nothing. */
export interface Sum {
  add(value: unknown): void;
  result(): BsonNumber;
}

export function openSum(): Sum {
  let plain = 0; // as long as all are whole numbers that a double adds exactly
  let allInts = true;
  let exact: BsonNumber | undefined;
  const sofar = (): BsonNumber => exact ?? (allInts && plain !== (plain | 0) ? Long.fromNumber(plain) : plain);
  return {
    add(next) {
      if (typeof next === 'number' && exact === undefined && Number.isSafeInteger(plain + next)) {
        plain += next;
        if (next !== (next | 0)) allInts = false;
      } else if (isNumeric(next)) exact = calculate('+', sofar(), next) ?? Number(String(sofar())) + Number(String(next));
    },
    result: sofar,
  };
}
