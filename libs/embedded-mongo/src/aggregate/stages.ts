import { CommandError } from '../errors.ts';
import { mingo } from '../mingo.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection } from '../query/projection.ts';
import { openSorter, parseSort } from '../query/sort.ts';
import type { Stream } from '../stream.ts';
import { assign, slotOf } from '../update/path.ts';
import type { Doc } from '../values/document.ts';
import { toView } from '../values/view.ts';
import { compileExpression } from './expression.ts';
import { docOf, type Item, rawOf } from './item.ts';

/** `$match` behind other stages. */
export function* match(input: Stream<Item>, given: Doc, variables?: Doc): Stream<Item> {
  const filter = compileFilter(given, variables);
  for (const item of input) yield item && filter.matches(rawOf(item)) ? item : undefined;
}

/** `$sort`, with the limit that follows it. */
export function* sort(input: Stream<Item>, given: unknown, limit?: number): Stream<Item> {
  const sorter = openSorter(parseSort(given), limit);
  for (const item of input) {
    if (item) sorter.add(rawOf(item));
    else yield undefined;
  }
  for (const raw of sorter.sorted()) yield { raw };
}

export function* skip(input: Stream<Item>, count: number): Stream<Item> {
  let left = count;
  for (const item of input) {
    if (item && left > 0) left--;
    else yield item;
  }
}

export function* limit(input: Stream<Item>, count: number): Stream<Item> {
  let left = count;
  for (const item of input) {
    yield item;
    if (item && --left <= 0) return;
  }
}

/** `$count`: no document at all when there is nothing to count. */
export function* countInto(input: Stream<Item>, name: string): Stream<Item> {
  let count = 0;
  for (const item of input) {
    if (item) count++;
    else yield undefined;
  }
  if (count > 0) yield { doc: { [name]: count } };
}

/** `$project` and `$unset`: plain ones copy bytes, so that types stay. */
export function* project(input: Stream<Item>, given: Doc, variables?: Doc): Stream<Item> {
  const plain =
    Object.values(given).every((value) => typeof value === 'number' || typeof value === 'boolean') &&
    !Object.keys(given).some((name) => name.includes('$'));
  const apply = plain ? compileProjection(given) : undefined;
  if (apply) for (const item of input) yield item && { raw: apply(rawOf(item)) };
  else yield* byMingo(input, { $project: given }, variables);
}

/** `$addFields` and `$set` */
export function* addFields(input: Stream<Item>, given: Doc, variables?: Doc): Stream<Item> {
  const nested = Object.values(given).some(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.getPrototypeOf(value) === Object.prototype &&
      !Object.keys(value)[0]?.startsWith('$'),
  );
  if (nested || Object.keys(given).some((name) => name.includes('.'))) {
    yield* byMingo(input, { $addFields: given }, variables);
    return;
  }
  const fields = Object.entries(given).map(([name, expression]) => [name, compileExpression(expression, variables)] as const);
  for (const item of input) {
    if (item === undefined) {
      yield undefined;
      continue;
    }
    const document = docOf(item);
    const after = { ...document };
    for (const [name, expression] of fields) {
      const value = expression(document);
      if (value !== undefined) after[name] = value;
      else delete after[name]; // $$REMOVE, or a field that is not there
    }
    yield { doc: after };
  }
}

/** `$unwind` */
export function* unwind(input: Stream<Item>, given: unknown): Stream<Item> {
  const { path, includeArrayIndex, preserveNullAndEmptyArrays } = (typeof given === 'string' ? { path: given } : given) as {
    path: string;
    includeArrayIndex?: string;
    preserveNullAndEmptyArrays?: boolean;
  };
  if (typeof path !== 'string' || !path.startsWith('$'))
    throw new CommandError(28818, "path option to $unwind stage should be prefixed with a '$'");
  const field = path.slice(1);
  const read = compileExpression(path);
  const withValue = (document: Doc, value: unknown, index: number | null): Item => {
    const copy = copiedAlong(document, field.split('.'));
    const slot = slotOf(copy, field, value !== undefined);
    if (slot && value === undefined) delete (slot.holder as Doc)[slot.key];
    else if (slot) assign(slot, value);
    if (includeArrayIndex) copy[includeArrayIndex] = index;
    return { doc: copy };
  };
  for (const item of input) {
    if (item === undefined) {
      yield undefined;
      continue;
    }
    const document = docOf(item);
    const value = read(document);
    if (Array.isArray(value) && value.length > 0) for (const [i, element] of value.entries()) yield withValue(document, element, i);
    else if (value === undefined || value === null || Array.isArray(value)) {
      if (preserveNullAndEmptyArrays) yield withValue(document, value === null ? null : undefined, null);
    } else yield withValue(document, value, null);
  }
}

/** A copy of the document and of what lies on the way to the path; the rest is shared. */
function copiedAlong(document: Doc, parts: string[]): Doc {
  const copy = { ...document };
  let at: Doc = copy;
  for (const part of parts.slice(0, -1)) {
    const next = at[part];
    if (typeof next !== 'object' || next === null || Array.isArray(next)) break;
    at = at[part] = { ...(next as Doc) };
  }
  return copy;
}

/** A stage that treats each document by itself, done by mingo. */
export function* byMingo(input: Stream<Item>, stage: Doc, variables?: Doc): Stream<Item> {
  const run = mingo().aggregate(toView([stage]) as Doc[], variables);
  for (const item of input) {
    if (item === undefined) yield undefined;
    else for (const doc of run([toView(docOf(item))])) yield { doc };
  }
}
