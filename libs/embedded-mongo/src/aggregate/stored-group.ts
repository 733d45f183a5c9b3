import { CommandError } from '../errors.ts';
import { decodeValue } from '../values/decode.ts';
import { type Doc, bsonType as t } from '../values/document.ts';
import { openLocator } from '../values/locate.ts';
import { int32At, valueEnd } from '../values/raw.ts';
import { elementOf, framed, openElementWriter } from '../values/write.ts';
import { openKeyReader } from './group-key.ts';
import { openGroups } from './groups.ts';
import type { Item } from './item.ts';
import { addTo, type Sum, startSum, totalOf } from './sum.ts';

const dayMs = 24 * 3_600_000;

/** Takes stored documents in and has one document for each group in the end. */
export interface StoredGrouping {
  add(document: Buffer): void;
  results(): Generator<Item>;
}

/**
 * The commonest `$group`: sums of fields or constants, by top-level fields or their days. It reads just those fields' bytes and decodes no
 * document, which halves the cost of a dashboard. Undefined for any other specification.
 */
export function openStoredGrouping(spec: Doc): StoredGrouping | undefined {
  const parts = idParts(spec._id);
  const sums = Object.entries(spec).filter(([name]) => name !== '_id');
  const operands = sums.map(([, given]) => sumOperand(given));
  if (parts === undefined || operands.includes(undefined)) return undefined;
  const fields = [...parts.map(({ field }) => field), ...operands.filter((operand) => typeof operand === 'string')];
  const { slots, types, offsets, locate } = openLocator(fields);
  const slotOf = (field: string) => slots.get(field) as number;
  const idSlots = parts.map(({ field }) => slotOf(field));
  const readers = parts.map(({ isDay }) => (isDay ? dayAt : openKeyReader()));
  const whole = typeof spec._id === 'string';
  const constants = operands.map((operand) => (typeof operand === 'string' ? undefined : operand));
  const sumSlots = operands.map((operand) => (typeof operand === 'string' ? slotOf(operand) : -1));
  const groups = openGroups<Sum, Buffer>(sums.map(() => startSum));
  const writers = sums.map(([name]) => openElementWriter(name));
  const keys: unknown[] = parts.length === 0 ? [null] : new Array(parts.length);
  /** The element `_id` of a new group, from the bytes of its first document. */
  const idOf = (document: Buffer): Buffer => {
    if (parts.length === 0) return openElementWriter('_id')(spec._id);
    const elements: Buffer[] = [];
    for (const [i, { name, isDay }] of parts.entries()) {
      const slot = idSlots[i] as number;
      const [type, at] = [types[slot] as number, offsets[slot] as number];
      if (isDay) {
        const day = dayAt(document, type, at);
        elements.push(openElementWriter(name)(day === null ? null : new Date(day * dayMs)));
      } else if (type !== 0) elements.push(elementOf(name, type, document.subarray(at, valueEnd(document, type, at))));
    }
    if (whole) return elements[0] ?? openElementWriter('_id')(null);
    return elementOf('_id', t.object, framed(elements));
  };
  return {
    add(document) {
      locate(document);
      for (let i = 0; i < idSlots.length; i++) {
        const slot = idSlots[i] as number;
        keys[i] = (readers[i] as (typeof readers)[0])(document, types[slot] as number, offsets[slot] as number);
      }
      if (whole) keys[0] ??= null; // a group by itself is that of null, too
      const { states } = groups.of(keys, () => idOf(document));
      for (let i = 0; i < states.length; i++) {
        const slot = sumSlots[i] as number;
        if (slot < 0) addTo(states[i] as Sum, constants[i]);
        else if (types[slot] !== 0) addTo(states[i] as Sum, decodeValue(document, types[slot] as number, offsets[slot] as number));
      }
    },
    *results() {
      for (const { id, states } of groups.all) {
        const elements = [id];
        for (let i = 0; i < states.length; i++) elements.push((writers[i] as (typeof writers)[0])(totalOf(states[i] as Sum)));
        yield { raw: framed(elements) };
      }
    },
  };
}

interface Part {
  name: string;
  field: string;
  /** The day (UTC) that the field's date is in, rather than the date. */
  isDay: boolean;
}

/** The parts of an id; an id that is one field has one part, a constant none. */
function idParts(id: unknown): Part[] | undefined {
  if (id === null || typeof id === 'number') return [];
  const field = fieldOf(id);
  if (field !== undefined) return [{ name: '_id', field, isDay: false }];
  if (typeof id !== 'object' || Object.getPrototypeOf(id) !== Object.prototype) return undefined;
  const parts = Object.entries(id as Doc).map(([name, part]) => partOf(name, part));
  const plain = parts.length > 0 && parts.every((part) => part !== undefined && !part.name.startsWith('$') && part.name !== '__proto__');
  return plain ? (parts as Part[]) : undefined;
}

function partOf(name: string, given: unknown): Part | undefined {
  const field = fieldOf(given);
  if (field !== undefined) return { name, field, isDay: false };
  if (typeof given !== 'object' || given === null || Object.keys(given).join() !== '$dateTrunc') return undefined;
  const { date, unit, ...rest } = ((given as Doc).$dateTrunc ?? {}) as Doc;
  const day = unit === 'day' && Object.keys(rest).length === 0 ? fieldOf(date) : undefined;
  return day === undefined ? undefined : { name, field: day, isDay: true };
}

/** Days since 1970 of a stored date; null where there is none, as `$dateTrunc` has it. Throws: CommandError 5439012. */
function dayAt(bytes: Buffer, type: number, at: number): number | null {
  if (type === t.date) return Math.floor((int32At(bytes, at + 4) * 2 ** 32 + (int32At(bytes, at) >>> 0)) / dayMs);
  if (type === 0 || type === t.null || type === t.undefined) return null;
  throw new CommandError(5439012, "$dateTrunc requires 'date' to be a date");
}

function sumOperand(given: unknown): string | number | undefined {
  if (typeof given !== 'object' || given === null || Object.keys(given).join() !== '$sum') return undefined;
  const { $sum: operand } = given as Doc;
  return typeof operand === 'number' ? operand : fieldOf(operand);
}

/** The top-level field that an expression names, and nothing else. */
function fieldOf(expression: unknown): string | undefined {
  return typeof expression === 'string' && /^\$[^$.\0]+$/.test(expression) ? expression.slice(1) : undefined;
}
