import { Timestamp } from 'bson';
import { CommandError } from '../errors.ts';
import type { Doc } from '../values/document.ts';
import { keyOf } from '../values/key.ts';
import { calculate, isNumeric } from '../values/numbers.ts';
import { assign, remove, type Slot, slotOf, valueIn } from './path.ts';

/** Applies one operator to one path of a decoded document, in place. */
export type Operator = (document: Doc, path: string, operand: unknown) => void;

const made = (document: Doc, path: string): Slot => slotOf(document, path, true) as Slot;

function arithmetic(name: string, operator: '+' | '*'): Operator {
  return (document, path, operand) => {
    if (!isNumeric(operand)) throw new CommandError(14, `Cannot ${name} with non-numeric argument: {${path}: ${JSON.stringify(operand)}}`);
    const slot = made(document, path);
    const before = valueIn(slot);
    if (before === undefined) return assign(slot, operator === '+' ? operand : calculate('*', operand, 0));
    if (!isNumeric(before)) {
      throw new CommandError(
        14,
        `Cannot apply $${name === 'increment' ? 'inc' : 'mul'} to a value of non-numeric type. {_id: ${JSON.stringify(document._id)}} has the field '${path}' of non-numeric type ${typeName(before)}`,
      );
    }
    const after = calculate(operator, before, operand);
    if (after === undefined)
      throw new CommandError(
        2,
        `Failed to apply ${operator === '+' ? '$inc' : '$mul'} operations to current value (overflow of a long) at '${path}'`,
      );
    assign(slot, after);
  };
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  return typeof value === 'object' ? ((value as { _bsontype?: string })._bsontype?.toLowerCase() ?? 'object') : typeof value;
}

function bounded(wins: (order: number) => boolean): Operator {
  return (document, path, operand) => {
    const slot = made(document, path);
    const before = valueIn(slot);
    if (before === undefined || wins(Buffer.compare(keyOf(operand), keyOf(before)))) assign(slot, operand);
  };
}

const push: Operator = (document, path, operand) => {
  const slot = made(document, path);
  const before = valueIn(slot);
  if (before !== undefined && !Array.isArray(before)) {
    throw new CommandError(
      2,
      `The field '${path}' must be an array but is of type ${typeName(before)} in document {_id: ${JSON.stringify(document._id)}}`,
    );
  }
  const values: unknown[] = before ?? [];
  const { $each, $position, $slice, $sort } = modifiers(operand, ['$each', '$position', '$slice', '$sort']);
  const position = $position === undefined ? values.length : Number($position);
  values.splice(position < 0 ? Math.max(0, values.length + position) : position, 0, ...$each);
  if ($sort !== undefined) sortArray(values, $sort);
  if ($slice !== undefined) {
    const keep = Number($slice);
    if (!Number.isInteger(keep)) throw new CommandError(2, 'The value for $slice must be an integer value');
    if (keep >= 0) values.length = Math.min(values.length, keep);
    else values.splice(0, Math.max(0, values.length + keep));
  }
  assign(slot, values);
};

const addToSet: Operator = (document, path, operand) => {
  const slot = made(document, path);
  const before = valueIn(slot);
  if (before !== undefined && !Array.isArray(before)) {
    throw new CommandError(2, `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(before)}`);
  }
  const values: unknown[] = before ?? [];
  const known = new Set(values.map((value) => keyOf(value).toString('latin1')));
  for (const value of modifiers(operand, ['$each']).$each) {
    const key = keyOf(value).toString('latin1');
    if (known.has(key)) continue;
    known.add(key);
    values.push(value);
  }
  assign(slot, values);
};

function modifiers(operand: unknown, allowed: string[]): { $each: unknown[]; $position?: unknown; $slice?: unknown; $sort?: unknown } {
  const given = operand as Doc | null;
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, '$each')) return { $each: [operand] };
  const unknown = Object.keys(given).find((name) => !allowed.includes(name));
  if (unknown) throw new CommandError(2, `Unrecognized clause in $push: ${unknown}`);
  if (!Array.isArray(given.$each)) throw new CommandError(2, 'The argument to $each in $push must be an array');
  return given as { $each: unknown[] };
}

function sortArray(values: unknown[], order: unknown): void {
  const by = typeof order === 'object' && order !== null && !isNumeric(order) ? Object.entries(order as Doc) : [['', order] as const];
  const keyed = values.map((value) => ({
    value,
    keys: by.map(([field]) => keyOf(field === '' ? value : (dig(value, field) ?? null))),
  }));
  keyed.sort((a, b) => {
    for (const [i, [, direction]] of by.entries()) {
      const order = Buffer.compare(a.keys[i] as Buffer, b.keys[i] as Buffer);
      if (order !== 0) return order * Number(direction);
    }
    return 0;
  });
  for (const [i, { value }] of keyed.entries()) values[i] = value;
}

function dig(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const slot = slotOf(value as Doc, path, false);
  return slot && valueIn(slot);
}

const rename: Operator = (document, path, operand) => {
  if (typeof operand !== 'string')
    throw new CommandError(2, `The 'to' field for $rename must be a string: ${path}: ${JSON.stringify(operand)}`);
  const from = slotOf(document, path, false);
  const value = from && valueIn(from);
  if (from === undefined || value === undefined) return;
  remove(from);
  assign(made(document, operand), value);
};

const currentDate: Operator = (document, path, operand) => {
  const kind = operand === true ? 'date' : (operand as Doc | null)?.$type;
  if (kind !== 'date' && kind !== 'timestamp')
    throw new CommandError(2, "The '$type' string field is required to be 'date' or 'timestamp'");
  const now = Date.now();
  assign(made(document, path), kind === 'date' ? new Date(now) : new Timestamp({ t: Math.floor(now / 1000), i: 1 }));
};

/** The operators that this store applies itself, with every number type kept; mingo does the others. */
export const operators: Record<string, Operator> = {
  $set: (document, path, operand) => assign(made(document, path), operand),
  $unset: (document, path) => {
    const slot = slotOf(document, path, false);
    if (slot && valueIn(slot) !== undefined) remove(slot);
  },
  $inc: arithmetic('increment', '+'),
  $mul: arithmetic('multiply', '*'),
  $min: bounded((order) => order < 0),
  $max: bounded((order) => order > 0),
  $push: push,
  $addToSet: addToSet,
  $rename: rename,
  $currentDate: currentDate,
};
