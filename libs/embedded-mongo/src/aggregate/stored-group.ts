import { decodeValue } from '../values/decode.ts';
import { type Doc, bsonType as t } from '../values/document.ts';
import { openLocator } from '../values/locate.ts';
import { valueEnd } from '../values/raw.ts';
import { elementOf, framed, openElementWriter } from '../values/write.ts';
import { openKeyReader } from './group-key.ts';
import { openGroups } from './groups.ts';
import type { Item } from './item.ts';
import { addTo, type Sum, startSum, totalOf } from './sum.ts';

/** Takes stored documents in and has one document for each group in the end. */
export interface StoredGrouping {
  add(document: Buffer): void;
  results(): Generator<Item>;
}

/**
 * The commonest `$group`: sums of fields or constants, by top-level fields. It reads just those fields' bytes and decodes no
 * document, which halves the cost of a dashboard. Undefined for any other specification.
 */
export function openStoredGrouping(spec: Doc): StoredGrouping | undefined {
  const parts = idParts(spec._id);
  const sums = Object.entries(spec).filter(([name]) => name !== '_id');
  const operands = sums.map(([, given]) => sumOperand(given));
  if (parts === undefined || operands.includes(undefined)) return undefined;
  const fields = [...parts.map(([, field]) => field), ...operands.filter((operand) => typeof operand === 'string')];
  const { slots, types, offsets, locate } = openLocator(fields);
  const slotOf = (field: string) => slots.get(field) as number;
  const idSlots = parts.map(([, field]) => slotOf(field));
  const readers = parts.map(openKeyReader);
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
    for (const [i, [name]] of parts.entries()) {
      const slot = idSlots[i] as number;
      const [type, at] = [types[slot] as number, offsets[slot] as number];
      if (type !== 0) elements.push(elementOf(name, type, document.subarray(at, valueEnd(document, type, at))));
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

/** Name and field of each part of an id; an id that is one field has one part, a constant none. */
function idParts(id: unknown): [name: string, field: string][] | undefined {
  if (id === null || typeof id === 'number') return [];
  const field = fieldOf(id);
  if (field !== undefined) return [['_id', field]];
  if (typeof id !== 'object' || Object.getPrototypeOf(id) !== Object.prototype) return undefined;
  const parts = Object.entries(id as Doc).map(([name, part]) => [name, fieldOf(part)] as const);
  const plain = parts.length > 0 && parts.every(([name, part]) => part !== undefined && !name.startsWith('$') && name !== '__proto__');
  return plain ? (parts as unknown as [string, string][]) : undefined;
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
