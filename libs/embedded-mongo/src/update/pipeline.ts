import { Double, Long } from 'bson';
import { CommandError } from '../errors.ts';
import { mingo } from '../mingo.ts';
import type { Doc } from '../values/document.ts';
import { toView } from '../values/view.ts';

const allowed = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

/** Applies an update pipeline through mingo. Longs and integral doubles keep their type where the result is still a whole number. */
export function applyPipeline(document: Doc, stages: Doc[], variables: Doc | undefined): Doc {
  for (const stage of stages) {
    const name = Object.keys(stage)[0] as string;
    if (!allowed.has(name)) throw new CommandError(72, `${name} is not allowed to be used within an update`);
  }
  const [after] = mingo().aggregate(toView(stages) as Doc[], variables)([structured(toView(document))]);
  return retyped(after, document) as Doc;
}

/** A copy of documents and arrays, so that mingo cannot change what the comparison with the old state needs. */
function structured(value: unknown): Doc {
  if (Array.isArray(value)) return value.map(structured) as unknown as Doc;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value as Doc;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, structured(inner)]));
}

function retyped(after: unknown, before: unknown): unknown {
  if (typeof after === 'number') {
    const kind = (before as { _bsontype?: string } | null | undefined)?._bsontype;
    if (kind === 'Long' && Number.isSafeInteger(after)) return Long.fromNumber(after);
    if (kind === 'Double' && after === (after | 0)) return new Double(after);
    if (kind !== undefined && Number(String(before)) === after) return before;
    if (Number.isSafeInteger(after) && after !== (after | 0) && typeof before === 'number' && before === (before | 0))
      return Long.fromNumber(after);
    return after;
  }
  if (Array.isArray(after)) return after.map((value, i) => retyped(value, Array.isArray(before) ? before[i] : undefined));
  if (typeof after !== 'object' || after === null || Object.getPrototypeOf(after) !== Object.prototype) return after;
  const old = typeof before === 'object' && before !== null ? (before as Doc) : {};
  for (const [name, value] of Object.entries(after)) (after as Doc)[name] = retyped(value, old[name]);
  return after;
}
