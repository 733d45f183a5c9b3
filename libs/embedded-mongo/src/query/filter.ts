import { BSONRegExp } from 'bson';
import type { Query } from 'mingo/query';
import { CommandError } from '../errors.ts';
import { mingo } from '../mingo.ts';
import { decode, openDecoder } from '../values/decode.ts';
import { bsonType, type Doc } from '../values/document.ts';
import { beginKey, borrowKey, putValue } from '../values/key.ts';
import { type Path, parsePath, visitPath } from '../values/raw.ts';
import { toView } from '../values/view.ts';
import { contains, type Interval, pointOf, prefixOf, rangeOf, union } from './interval.ts';
import { checkOperators } from './operators.ts';
import { patternOf } from './pattern.ts';

/** One condition on one field that is answered on the raw bytes. */
export interface Predicate {
  path: Path;
  /** The value (or one element of an array) must lie here. */
  intervals: Interval[];
  /** The condition is that no value lies in the intervals. */
  negated: boolean;
  /** The condition is about presence only. */
  exists?: boolean;
}

/** A compiled filter. It is the conjunction of all its parts. */
export interface Filter {
  source: Doc;
  predicates: Predicate[];
  /** For each `$or`: one of these must match. */
  alternatives: Filter[][];
  /** What mingo decides. */
  rest?: { query: Query; read: (document: Buffer) => Doc };
  /** Top-level fields that the filter looks at; `*` when it cannot be told. */
  fields: Set<string>;
  matches(document: Buffer): boolean;
}

const ranges = new Set(['$gt', '$gte', '$lt', '$lte']);

/** Compiles a filter. Throws: CommandError 2 for operators that do not exist. */
export function compileFilter(source: Doc, variables?: Doc): Filter {
  const predicates: Predicate[] = [];
  const alternatives: Filter[][] = [];
  const rest: Doc[] = [];
  collect(source, { predicates, alternatives, rest, variables });
  const fields = new Set(predicates.map(({ path }) => path.parts[0]?.name.toString() as string));
  for (const filter of alternatives.flat()) for (const field of filter.fields) fields.add(field);
  let mingo: Filter['rest'];
  if (rest.length > 0) {
    const restFields = new Set<string>();
    for (const part of rest) namedFields(part, restFields);
    for (const field of restFields) fields.add(field);
    mingo = { query: compileRest(rest, variables), read: restFields.has('*') ? decode : openDecoder(restFields) };
  }
  const matches = (document: Buffer): boolean => {
    for (const predicate of predicates) if (!holds(predicate, document)) return false;
    for (const options of alternatives) if (!options.some((option) => option.matches(document))) return false;
    return mingo === undefined || mingo.query.test(toView(mingo.read(document)) as Doc);
  };
  return { source, predicates, alternatives, rest: mingo, fields, matches };
}

function compileRest(rest: Doc[], variables: Doc | undefined): Query {
  checkOperators(rest);
  return mingo().query(toView(rest.length === 1 ? rest[0] : { $and: rest }) as Doc, variables);
}

type Parts = Pick<Filter, 'predicates' | 'alternatives'> & { rest: Doc[]; variables?: Doc };

function collect(source: Doc, into: Parts): void {
  for (const [name, condition] of Object.entries(source)) {
    if (name === '$and') for (const part of listOf(name, condition)) collect(part, into);
    else if (name === '$or') into.alternatives.push(listOf(name, condition).map((part) => compileFilter(part, into.variables)));
    else if (name === '$comment') continue;
    else if (name.startsWith('$')) into.rest.push({ [name]: condition });
    else collectField(parsePath(name), condition, into);
  }
}

function listOf(name: string, condition: unknown): Doc[] {
  if (!Array.isArray(condition) || condition.length === 0) throw new CommandError(2, `${name} must be a nonempty array`);
  return condition as Doc[];
}

function collectField(path: Path, condition: unknown, { predicates, rest }: Parts): void {
  const add = (intervals: Interval[], negated = false) => predicates.push({ path, intervals: union(intervals), negated });
  if (!isOperators(condition)) {
    if (isScalar(condition)) add([pointOf(condition)]);
    else addPattern(path, condition, add, rest);
    return;
  }
  for (const [operator, operand] of Object.entries(condition as Doc)) {
    if (operator === '$eq' && isScalar(operand)) add([pointOf(operand)]);
    else if (operator === '$ne' && isScalar(operand)) add([pointOf(operand)], true);
    else if ((operator === '$in' || operator === '$nin') && Array.isArray(operand) && operand.every(isScalar))
      add(operand.map(pointOf), operator === '$nin');
    else if (ranges.has(operator) && isScalar(operand) && operand !== null) add([rangeOf(operator as '$gt', operand)]);
    else if (operator === '$exists') predicates.push({ path, intervals: [], negated: false, exists: truthy(operand) });
    else if (operator === '$options') continue;
    else if (operator === '$regex') addPattern(path, patternOf(operand, (condition as Doc).$options), add, rest);
    else rest.push({ [path.name]: { [operator]: operand } });
  }
}

/** A regular expression goes to mingo; its fixed beginning also bounds an index scan. */
function addPattern(path: Path, condition: unknown, add: (intervals: Interval[]) => void, rest: Doc[]): void {
  rest.push({ [path.name]: condition });
  if (!(condition instanceof RegExp) && !(condition instanceof BSONRegExp)) return;
  const [source, flags] = condition instanceof RegExp ? [condition.source, condition.flags] : [condition.pattern, condition.options];
  const fixed = /^\^([\w\- :/@]+)(?![*+?{|\w])/.exec(source)?.[1];
  if (fixed && !/[imx]/.test(flags) && !source.includes('|')) add([prefixOf(fixed)]);
}

function truthy(operand: unknown): boolean {
  return typeof operand === 'object' && operand !== null && 'valueOf' in operand ? Boolean(operand.valueOf()) : Boolean(operand);
}

function isOperators(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null || Object.getPrototypeOf(condition) !== Object.prototype) return false;
  const [first] = Object.keys(condition);
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id';
}

/** Values that compare as one key: everything but arrays and patterns. */
function isScalar(value: unknown): boolean {
  return value !== undefined && !Array.isArray(value) && !(value instanceof RegExp) && !(value instanceof BSONRegExp);
}

function holds({ path, intervals, negated, exists }: Predicate, document: Buffer): boolean {
  let found = false;
  let present = false;
  visitPath(document, 0, path, (type, at, whole) => {
    if (type !== 0) present = true;
    if (found || exists !== undefined || (whole && type === bsonType.array)) return;
    beginKey();
    putValue(document, type === bsonType.undefined ? bsonType.null : type, at);
    found = contains(intervals, borrowKey());
  });
  if (exists !== undefined) return present === exists;
  return found !== negated;
}

/** Collects the top-level fields of a condition; `*` for those that cannot be told, such as in `$expr`. */
function namedFields(condition: unknown, fields: Set<string>): void {
  if (Array.isArray(condition)) {
    for (const part of condition) namedFields(part, fields);
    return;
  }
  for (const [name, value] of Object.entries(condition as Doc)) {
    if (name === '$and' || name === '$or' || name === '$nor') namedFields(value, fields);
    else if (name.startsWith('$')) fields.add('*');
    else fields.add(name.split('.')[0] as string);
  }
}
