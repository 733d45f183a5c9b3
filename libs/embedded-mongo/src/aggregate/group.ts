import { CommandError } from '../errors.ts';
import { mingo } from '../mingo.ts';
import type { Stream } from '../stream.ts';
import type { Doc } from '../values/document.ts';
import { keyOf } from '../values/key.ts';
import { isNumeric } from '../values/numbers.ts';
import { toView } from '../values/view.ts';
import { compileExpression, type Expression } from './expression.ts';
import { groupKey } from './group-key.ts';
import { openGroups } from './groups.ts';
import { docOf, type Item } from './item.ts';
import { addTo, startSum, totalOf } from './sum.ts';

/** Takes in one document after the other and has the result in the end. */
interface Accumulator {
  add(document: Doc): void;
  result(): unknown;
}

type Make = (value: Expression) => Accumulator;

const makers: Record<string, Make> = {
  $sum: (value) => {
    const sum = startSum();
    return { add: (document) => addTo(sum, value(document)), result: () => totalOf(sum) };
  },
  $avg: (value) => {
    let [sum, count] = [0, 0];
    return {
      add(document) {
        const next = value(document);
        if (!isNumeric(next)) return;
        sum += Number(String(next));
        count++;
      },
      result: () => (count === 0 ? null : sum / count),
    };
  },
  $min: extreme((order) => order < 0),
  $max: extreme((order) => order > 0),
  $first: (value) => {
    let first: unknown;
    let seen = false;
    return {
      add(document) {
        if (!seen) first = value(document);
        seen = true;
      },
      result: () => first ?? null,
    };
  },
  $last: (value) => {
    let last: unknown;
    return {
      add(document) {
        last = value(document);
      },
      result: () => last ?? null,
    };
  },
  $push: (value) => {
    const values: unknown[] = [];
    return {
      add(document) {
        const next = value(document);
        if (next !== undefined) values.push(next);
      },
      result: () => values,
    };
  },
  $addToSet: (value) => {
    const values = new Map<unknown, unknown>();
    return {
      add(document) {
        const next = value(document);
        if (next !== undefined) values.set(groupKey(next), next);
      },
      result: () => [...values.values()],
    };
  },
  $count: () => {
    let count = 0;
    return { add: () => void count++, result: () => count };
  },
};

function extreme(wins: (order: number) => boolean): Make {
  return (value) => {
    let best: unknown;
    return {
      add(document) {
        const next = value(document);
        if (next === undefined || next === null) return;
        if (best === undefined || wins(compare(next, best))) best = next;
      },
      result: () => best ?? null,
    };
  };
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime();
  return Buffer.compare(keyOf(a), keyOf(b));
}

/** Takes documents in and has one document for each group in the end. */
export interface Grouping {
  /** Throws: CommandError 292 beyond 100 MB. */
  add(document: Doc): void;
  results(): Generator<Item>;
}

/** `$group`, keeping one state for each group. Throws: CommandError 15955, 15952. */
export function openGrouping(spec: Doc, variables?: Doc): Grouping {
  if (!Object.hasOwn(spec, '_id')) throw new CommandError(15955, 'a group specification must include an _id');
  const id = compileExpression(spec._id, variables);
  const parts = partsOf(spec._id, variables) ?? [(document: Doc) => id(document) ?? null];
  const fields = Object.entries(spec).filter(([name]) => name !== '_id');
  const groups = openGroups<Accumulator, unknown>(fields.map(([name, given]) => accumulatorOf(name, given, variables)));
  const keys: unknown[] = new Array(parts.length);
  return {
    add(document) {
      for (let i = 0; i < parts.length; i++) keys[i] = groupKey((parts[i] as Expression)(document));
      for (const state of groups.of(keys, () => id(document) ?? null).states) state.add(document);
    },
    *results() {
      for (const { id: value, states } of groups.all) {
        const doc: Doc = { _id: value };
        for (const [i, [name]] of fields.entries()) doc[name] = (states[i] as Accumulator).result();
        yield { doc };
      }
    },
  };
}

/** `$group` behind other stages. */
export function* group(input: Stream<Item>, spec: Doc, variables?: Doc): Stream<Item> {
  const grouping = openGrouping(spec, variables);
  for (const item of input) {
    if (item) grouping.add(docOf(item));
    else yield undefined;
  }
  yield* grouping.results();
}

/** The parts of an id that is a document of expressions: looked up one by one, the document itself is made once a group. */
function partsOf(given: unknown, variables: Doc | undefined): Expression[] | undefined {
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype) return undefined;
  const names = Object.keys(given);
  if (names.length === 0 || names[0]?.startsWith('$')) return undefined;
  return names.map((name) => compileExpression((given as Doc)[name], variables));
}

function accumulatorOf(name: string, given: unknown, variables: Doc | undefined): () => Accumulator {
  const operator = typeof given === 'object' && given !== null ? Object.keys(given)[0] : undefined;
  if (operator === undefined || !operator.startsWith('$'))
    throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
  if (!makers[operator] && !mingo().isAccumulator(operator)) throw new CommandError(15952, `unknown group operator '${operator}'`);
  const operand = (given as Doc)[operator];
  const make = makers[operator];
  if (make) {
    const value = compileExpression(operand, variables);
    return () => make(value);
  }
  return () => collected(operator, operand);
}

/** The rarer accumulators: mingo works on all documents of the group. */
function collected(operator: string, operand: unknown): Accumulator {
  const documents: Doc[] = [];
  return {
    add: (document) => void documents.push(toView(document) as Doc),
    result: () => mingo().evaluator()(documents, { [operator]: toView(operand) }) ?? null,
  };
}
