import { Double, Long, ObjectId, serialize } from 'bson';
import { CommandError } from '../errors.ts';
import { mingo } from '../mingo.ts';
import type { Filter } from '../query/filter.ts';
import { decode } from '../values/decode.ts';
import type { Doc } from '../values/document.ts';
import { keyOf } from '../values/key.ts';
import { toView } from '../values/view.ts';
import { operators } from './operators.ts';
import { assign, type Slot, slotOf } from './path.ts';
import { byMingo, type Step, shapeOf, stepsOf } from './steps.ts';

const allowed = new Set(['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith']);

/** Applies an update pipeline through mingo. Longs and integral doubles keep their type where the result is still a whole number. */
function applyPipeline(document: Doc, stages: Doc[], variables: Doc | undefined): Doc {
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

/** A compiled update. */
export interface Update {
  /** The document after the update, and the top-level fields that it names (absent: any). The same buffer when nothing changed. */
  apply(before: Buffer, filter: Filter): Buffer;
  /** The document that an upsert inserts. */
  upsert(filter: Filter): Buffer;
  changed?: ReadonlySet<string>;
  isReplacement: boolean;
}

/** Compiles what `u` of an update command holds: operators, a replacement, or a pipeline. Throws: CommandError 9, 40, 66. */
export function compileUpdate(given: unknown, { arrayFilters, variables }: { arrayFilters?: Doc[]; variables?: Doc } = {}): Update {
  if (Array.isArray(given)) return pipelineUpdate(given as Doc[], variables);
  const names = Object.keys(given as Doc);
  if (names.length > 0 && names.every((name) => name.startsWith('$'))) return operatorUpdate(given as Doc, arrayFilters);
  const wrong = names.find((name) => name.startsWith('$'));
  if (wrong)
    throw new CommandError(
      52,
      `The dollar ($) prefixed field '${wrong}' in '${wrong}' is not allowed in the context of an update's replacement document.`,
    );
  return replacement(given as Doc);
}

/** Encodes a document with `_id` first. */
export function encode(document: Doc): Buffer {
  const { _id, ...rest } = document;
  const ordered = Object.keys(document)[0] === '_id' || _id === undefined ? document : { _id, ...rest };
  return Buffer.from(serialize(ordered, { ignoreUndefined: true }));
}

function replacement(given: Doc): Update {
  const withId = (_id: unknown) => {
    if (given._id !== undefined && !keyOf(given._id).equals(keyOf(_id))) throw immutableId();
    const { _id: same, ...rest } = given;
    return encode({ _id, ...rest });
  };
  return {
    isReplacement: true,
    apply: (before) => {
      const after = withId(decode(before, 0, new Set(['_id']))._id);
      return after.equals(before) ? before : after;
    },
    upsert: (filter) => withId(given._id ?? equalities(filter)._id ?? new ObjectId()),
  };
}

function pipelineUpdate(stages: Doc[], variables: Doc | undefined): Update {
  const run = (document: Doc, isNew: boolean): Buffer => {
    const id = document._id;
    const after = applyPipeline(document, stages, variables);
    if (id !== undefined && (after._id === undefined || !keyOf(after._id).equals(keyOf(id)))) throw immutableId();
    if (isNew && after._id === undefined) after._id = new ObjectId();
    return encode(after);
  };
  return {
    isReplacement: false,
    apply: (before) => {
      const after = run(decode(before), false);
      return after.equals(before) ? before : after;
    },
    upsert: (filter) => run(equalities(filter), true),
  };
}

function immutableId(): CommandError {
  return new CommandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

function operatorUpdate(given: Doc, arrayFilters: Doc[] | undefined): Update {
  const steps = stepsOf(given);
  const { changed, splicer } = shapeOf(steps);
  const touchesId = changed.has('_id');
  const run = (document: Doc, filter: Filter, isNew: boolean): Doc => {
    let applied = document;
    for (const { operator, path, operand, positional } of steps) {
      if (operator === '$setOnInsert') {
        if (isNew) (operators.$set as (typeof operators)[string])(applied, path, operand);
      } else if (positional || byMingo.has(operator))
        applied = throughMingo(applied, { operator, path, operand }, { filter, arrayFilters });
      else (operators[operator] as (typeof operators)[string])(applied, path, copied(operand));
    }
    return applied;
  };
  return {
    isReplacement: false,
    changed,
    apply: (before, filter) => {
      const change = (document: Doc) => {
        const id = touchesId ? keyOf(document._id) : undefined;
        const after = run(document, filter, false);
        if (id && (after._id === undefined || !keyOf(after._id).equals(id))) throw immutableId();
        return after;
      };
      const after = splicer ? splicer.apply(before, change) : encode(change(decode(before)));
      return after.equals(before) ? before : after;
    },
    upsert: (filter) => {
      const seed = equalities(filter);
      const id = seed._id;
      const document = run(seed, filter, true);
      if (id !== undefined && !keyOf(document._id ?? null).equals(keyOf(id))) throw immutableId();
      if (document._id === undefined) document._id = new ObjectId();
      return encode(document);
    },
  };
}

/** Operands are shared by all documents of one update: what will live inside a document must not be. */
function copied(operand: unknown): unknown {
  if (typeof operand !== 'object' || operand === null) return operand;
  if (Array.isArray(operand)) return operand.map(copied);
  if (Object.getPrototypeOf(operand) !== Object.prototype) return operand;
  const copy: Doc = {};
  for (const name in operand) copy[name] = copied((operand as Doc)[name]);
  return copy;
}

function throughMingo(document: Doc, step: Omit<Step, 'positional'>, context: { filter: Filter; arrayFilters?: Doc[] }): Doc {
  const documents = [document];
  const condition = step.path.includes('.$') ? (toView(context.filter.source) as Doc) : {};
  const used = context.arrayFilters?.filter((filter) => Object.keys(filter).some((name) => step.path.includes(`$[${name.split('.')[0]}]`)));
  const operand = { [step.operator]: { [step.path]: toView(step.operand) } };
  mingo().update(
    documents,
    condition,
    operand,
    used?.map((filter) => toView(filter) as Doc),
  );
  return documents[0] as Doc;
}

/** The fields that a filter fixes to one value: what an upsert starts from. */
function equalities(filter: Filter): Doc {
  const document: Doc = {};
  const collect = (source: Doc) => {
    for (const [name, condition] of Object.entries(source)) {
      if (name === '$and') for (const part of condition as Doc[]) collect(part);
      else if (name === '$or' && (condition as Doc[]).length === 1) collect((condition as Doc[])[0] as Doc);
      else if (!name.startsWith('$')) fix(name, condition);
    }
  };
  const fix = (name: string, condition: unknown) => {
    let value = condition;
    if (typeof condition === 'object' && condition !== null && Object.getPrototypeOf(condition) === Object.prototype) {
      const given = condition as Doc;
      if (Object.hasOwn(given, '$eq')) value = given.$eq;
      else if (Array.isArray(given.$in) && given.$in.length === 1) value = given.$in[0];
      else if (Object.keys(given)[0]?.startsWith('$')) return;
    } else if (condition instanceof RegExp || (condition as { _bsontype?: string } | null)?._bsontype === 'BSONRegExp') return;
    assign(slotOf(document, name, true) as Slot, copied(value));
  };
  collect(filter.source);
  return document;
}
