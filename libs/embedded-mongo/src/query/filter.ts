import { BSONRegExp } from 'bson';
import type { Query } from 'mingo/query';
import { CommandError } from '../errors.ts';
import { mingo } from '../mingo.ts';
import { decode, openDecoder } from '../values/decode.ts';
import { bsonType, type Doc } from '../values/document.ts';
import { beginKey, borrowKey, putValue } from '../values/key.ts';
import type { Locator } from '../values/locate.ts';
import { int32At, type Path, parsePath, visitPath } from '../values/raw.ts';
import { toView } from '../values/view.ts';
import { contains, type Interval, pointOf, prefixOf, rangeOf, union } from './interval.ts';
import { type Needle, needleOfPattern, needlesOfValues } from './needles.ts';
import { patternOf } from './pattern.ts';

const fieldOperators = new Set(
  '$eq $ne $gt $gte $lt $lte $in $nin $not $exists $type $mod $regex $options $all $elemMatch $size $bitsAllClear $bitsAllSet $bitsAnyClear $bitsAnySet'.split(
    ' ',
  ),
);
const topOperators = new Set(['$and', '$or', '$nor', '$expr', '$comment']);

/** Refuses operators that mingo would take for data, or would run as code. Throws: CommandError 2. */
function checkOperators(conditions: Doc[]): void {
  for (const condition of conditions) {
    for (const [name, value] of Object.entries(condition)) {
      if (name.startsWith('$') && !topOperators.has(name)) throw new CommandError(2, `unknown top level operator: ${name}`);
      if (name === '$and' || name === '$or' || name === '$nor') {
        if (!Array.isArray(value) || value.length === 0) throw new CommandError(2, `${name} must be a nonempty array`);
        checkOperators(value as Doc[]);
      } else if (!name.startsWith('$')) checkField(value);
    }
  }
}

function checkField(condition: unknown): void {
  if (typeof condition !== 'object' || condition === null || Object.getPrototypeOf(condition) !== Object.prototype) return;
  for (const [operator, operand] of Object.entries(condition)) {
    if (!operator.startsWith('$')) continue;
    if (!fieldOperators.has(operator)) throw new CommandError(2, `unknown operator: ${operator}`);
    if (operator === '$not') checkField(operand);
    if ((operator === '$in' || operator === '$nin' || operator === '$all') && !Array.isArray(operand)) {
      throw new CommandError(2, `${operator} needs an array`);
    }
    if (operator === '$size' && typeof operand !== 'number') throw new CommandError(2, 'Failed to parse $size. Expected a number');
  }
}

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

/** A regular expression that a text of a field, or of its array, must meet; on the raw bytes, too. */
export interface TextPattern {
  path: Path;
  pattern: RegExp;
}

/** A compiled filter. It is the conjunction of all its parts. */
export interface Filter {
  source: Doc;
  predicates: Predicate[];
  patterns: TextPattern[];
  /** For each `$or`: one of these must match. */
  alternatives: Filter[][];
  /** What mingo decides. */
  rest?: { query: Query; read: (document: Buffer) => Doc };
  /** Of each list a document that matches holds one, as far as that can be said. */
  needles: Needle[][];
  /** Top-level fields that the filter looks at; `*` when it cannot be told. */
  fields: Set<string>;
  /** `located`: has found some of the document's fields already. */
  matches(document: Buffer, located?: Locator): boolean;
}

const ranges = new Set(['$gt', '$gte', '$lt', '$lte']);

/** Compiles a filter. Throws: CommandError 2 for operators that do not exist. */
export function compileFilter(source: Doc, variables?: Doc): Filter {
  const predicates: Predicate[] = [];
  const patterns: TextPattern[] = [];
  const alternatives: Filter[][] = [];
  const rest: Doc[] = [];
  const needles: Needle[][] = [];
  collect(source, { predicates, patterns, alternatives, rest, needles, variables });
  for (const options of alternatives) {
    const each = options.map((option) => option.needles[0]);
    if (!each.includes(undefined)) needles.push(distinct(each.flat() as Needle[]));
  }
  const fields = new Set([...predicates, ...patterns].map(({ path }) => path.parts[0]?.name.toString() as string));
  for (const filter of alternatives.flat()) for (const field of filter.fields) fields.add(field);
  let mingo: Filter['rest'];
  if (rest.length > 0) {
    const restFields = new Set<string>();
    for (const part of rest) namedFields(part, restFields);
    for (const field of restFields) fields.add(field);
    mingo = { query: compileRest(rest, variables), read: restFields.has('*') ? decode : openDecoder(restFields) };
  }
  const matches = (document: Buffer, located?: Locator): boolean => {
    for (const predicate of predicates) if (!holds(predicate, document, located)) return false;
    for (const pattern of patterns) if (!meets(pattern, document)) return false;
    for (const options of alternatives) if (!options.some((option) => option.matches(document))) return false;
    return mingo === undefined || mingo.query.test(toView(mingo.read(document)) as Doc);
  };
  return { source, predicates, patterns, alternatives, rest: mingo, needles, fields, matches };
}

/** Conditions on several fields often look for the same. */
function distinct(needles: Needle[]): Needle[] {
  return [...new Map(needles.map((needle) => [Buffer.isBuffer(needle) ? needle.toString('latin1') : String(needle), needle])).values()];
}

function compileRest(rest: Doc[], variables: Doc | undefined): Query {
  checkOperators(rest);
  return mingo().query(toView(rest.length === 1 ? rest[0] : { $and: rest }) as Doc, variables);
}

type Parts = Pick<Filter, 'predicates' | 'patterns' | 'alternatives' | 'needles'> & { rest: Doc[]; variables?: Doc };

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

function collectField(path: Path, condition: unknown, { predicates, patterns, rest, needles }: Parts): void {
  const add = (intervals: Interval[], negated = false) => predicates.push({ path, intervals: union(intervals), negated });
  const addPoints = (values: unknown[]) => {
    add(values.map(pointOf));
    const found = needlesOfValues(path.name, values);
    if (found) needles.push(found);
  };
  if (!isOperators(condition)) {
    if (isScalar(condition)) addPoints([condition]);
    else if (isPattern(condition)) addPattern(path, patternOf(condition), add, { patterns, needles });
    else rest.push({ [path.name]: condition });
    return;
  }
  for (const [operator, operand] of Object.entries(condition as Doc)) {
    if (operator === '$eq' && isScalar(operand)) addPoints([operand]);
    else if (operator === '$ne' && isScalar(operand)) add([pointOf(operand)], true);
    else if (operator === '$in' && Array.isArray(operand) && operand.every(isScalar)) addPoints(operand);
    else if (operator === '$nin' && Array.isArray(operand) && operand.every(isScalar)) add(operand.map(pointOf), true);
    else if (ranges.has(operator) && isScalar(operand) && operand !== null) add([rangeOf(operator as '$gt', operand)]);
    else if (operator === '$not' && isOneRange(operand)) {
      const [[inner, bound]] = Object.entries(operand) as [['$gt', unknown]];
      add([rangeOf(inner, bound)], true);
    } else if (operator === '$exists') predicates.push({ path, intervals: [], negated: false, exists: truthy(operand) });
    else if (operator === '$options') continue;
    else if (operator === '$regex') addPattern(path, patternOf(operand, (condition as Doc).$options), add, { patterns, needles });
    else rest.push({ [path.name]: { [operator]: operand } });
  }
}

/** The fixed beginning of a regular expression also bounds an index scan. */
function addPattern(
  path: Path,
  pattern: RegExp,
  add: (intervals: Interval[]) => void,
  { patterns, needles }: Pick<Parts, 'patterns' | 'needles'>,
): void {
  patterns.push({ path, pattern });
  const { source, flags } = pattern;
  const needle = needleOfPattern(source, flags.includes('i'));
  if (needle) needles.push([needle]);
  const fixed = /^\^([\w\- :/@]+)(?![*+?{|\w])/.exec(source)?.[1];
  if (fixed && !/[im]/.test(flags) && !source.includes('|')) add([prefixOf(fixed)]);
}

function truthy(operand: unknown): boolean {
  return typeof operand === 'object' && operand !== null && 'valueOf' in operand ? Boolean(operand.valueOf()) : Boolean(operand);
}

function isOperators(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null || Object.getPrototypeOf(condition) !== Object.prototype) return false;
  const [first] = Object.keys(condition);
  return first?.startsWith('$') === true && first !== '$ref' && first !== '$id';
}

/** Billing asks so with each roll-up: a mark that is not yet at an offset. */
function isOneRange(operand: unknown): operand is Doc {
  if (!isOperators(operand)) return false;
  const [[operator, bound], another] = Object.entries(operand as Doc) as [[string, unknown], unknown];
  return another === undefined && ranges.has(operator) && isScalar(bound) && bound !== null;
}

/** Values that compare as one key: everything but arrays and patterns. */
function isScalar(value: unknown): boolean {
  return value !== undefined && !Array.isArray(value) && !isPattern(value);
}

function isPattern(value: unknown): boolean {
  return value instanceof RegExp || value instanceof BSONRegExp;
}

function holds({ path, intervals, negated, exists }: Predicate, document: Buffer, located?: Locator): boolean {
  let found = false;
  let present = false;
  const look = (type: number, at: number, whole: boolean) => {
    if (type !== 0) present = true;
    if (found || exists !== undefined || (whole && type === bsonType.array)) return;
    beginKey();
    putValue(document, type === bsonType.undefined ? bsonType.null : type, at);
    found = contains(intervals, borrowKey());
  };
  const slot = path.parts.length === 1 ? located?.slots.get(path.name) : undefined;
  const type = slot === undefined ? bsonType.array : (located?.types[slot] as number);
  if (type === bsonType.array) visitPath(document, 0, path, look);
  else look(type, located?.offsets[slot as number] as number, false);
  if (exists !== undefined) return present === exists;
  return found !== negated;
}

function meets({ path, pattern }: TextPattern, document: Buffer): boolean {
  let found = false;
  visitPath(document, 0, path, (type, at) => {
    if (found || (type !== bsonType.string && type !== bsonType.symbol)) return;
    found = pattern.test(document.toString('utf8', at + 4, at + 3 + int32At(document, at)));
  });
  return found;
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
