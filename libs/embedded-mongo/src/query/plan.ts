import { CommandError } from '../errors.ts';
import type { Collection } from '../storage/catalogue.ts';
import type { Index } from '../storage/index-spec.ts';
import type { Doc } from '../values/document.ts';
import type { Filter } from './filter.ts';
import { boundBytes, type Interval, intersect, inverted } from './interval.ts';
import { type KeySift, keySiftOf } from './key-sift.ts';

/** A range of index keys: from `low` (included) up to `high` (excluded). */
export interface KeyRange {
  low: Buffer;
  high: Buffer;
}

/** How a query walks through a collection. */
export interface Plan {
  /** Absent: the documents themselves, by `_id` when there are ranges, else in the order of insertion. */
  index?: Index;
  ranges?: KeyRange[];
  reverse: boolean;
  /** The walk yields the wanted order. */
  sorted: boolean;
  /** Every entry in the ranges matches: the filter needs no second look. */
  exact: boolean;
  /** Each range gives the wanted order, which is this one; all of them are to be walked side by side. */
  merge?: Sort;
  /** What the keys in the ranges must hold for their documents to match. */
  sift?: KeySift;
}

export type Sort = [field: string, direction: 1 | -1][];

const maxRanges = 20_000;
const maxMerged = 200; // as MongoDB
const everything: KeyRange = { low: Buffer.alloc(0), high: Buffer.from([0xff]) };
const idFields = [{ path: { name: '_id', parts: [] }, root: '_id', descending: false }];

interface Candidate {
  plan: Plan;
  /** Fields bound to single values, then to ranges. */
  points: number;
  bounded: number;
  /** The names of these fields, and of the index where it leaves documents out: those of one kind have the same entries in their ranges. */
  kind: string;
}

/**
 * Chooses a walk by rule: one document by `_id` or a unique index, else an index that gives both a bound and the order,
 * else the one that binds most fields. `measure` counts entries (up to a cap) to decide between equals.
 */
export function choosePlan(
  collection: Collection,
  filter: Filter,
  options: { sort?: Sort; hint?: unknown; mayMerge?: boolean; maySift?: boolean; measure: (plan: Plan, cap: number) => number },
): Plan {
  const { sort = [], hint, mayMerge, maySift, measure } = options;
  if (hint !== undefined) return hinted(collection, filter, sort, hint);
  const candidates: Candidate[] = [];
  const byId = candidateOf(undefined, filter, sort);
  if (byId) {
    if (byId.points === 1 && byId.plan.ranges?.length === 1) return byId.plan;
    candidates.push(byId);
  }
  for (const index of collection.indexes) {
    const candidate = candidateOf(index, filter, sort, { mayMerge, maySift });
    if (!candidate) continue;
    if (index.unique && candidate.points === index.fields.length && candidate.plan.ranges?.length === 1) return candidate.plan;
    candidates.push(candidate);
  }
  if (candidates.length === 0)
    return { reverse: naturalReverse(sort), sorted: sort.length === 0 || sort[0]?.[0] === '$natural', exact: matchesAll(filter) };
  const best = candidates.sort((a, b) => rank(b) - rank(a));
  const bound = best.filter((candidate) => candidate.points + candidate.bounded > 0);
  const narrow = bound.length < 2 ? (best[0] as Candidate).plan : narrowest(bound, measure);
  const sifted = best.find(({ plan, points, bounded }) => plan.sift && points + bounded === 0)?.plan;
  if (sifted === undefined || narrow.sift || narrow.exact) return narrow;
  const dear = Math.ceil(collection.count / keysPerDocument);
  return measure(narrow, dear) < dear ? narrow : sifted;
}

/** So many keys are sifted in the time of one document. */
const keysPerDocument = 5;

const rank = ({ plan, points, bounded }: Candidate) => points * 4 + bounded * 2 + (plan.sorted ? 3 : 0) + (plan.sift ? 1 : 0);

/** Among bound candidates: one that gives the order and few entries; a sorted walk wins until another is ten times narrower. */
function narrowest(candidates: Candidate[], measure: (plan: Plan, cap: number) => number): Plan {
  const cap = 2000;
  let best: { plan: Plan; cost: number } | undefined;
  const alike = new Map(candidates.map((candidate) => [candidate.kind, candidate]).reverse() as [string, Candidate][]);
  for (const { plan } of candidates.filter((candidate) => alike.get(candidate.kind) === candidate).slice(0, 6)) {
    const cost = measure(plan, cap) * (plan.sorted ? 1 : 4);
    if (best === undefined || cost < best.cost) best = { plan, cost };
  }
  return (best as { plan: Plan }).plan;
}

function matchesAll(filter: Filter): boolean {
  return filter.predicates.length === 0 && filter.patterns.length === 0 && filter.alternatives.length === 0 && filter.rest === undefined;
}

function naturalReverse(sort: Sort): boolean {
  return sort[0]?.[0] === '$natural' && sort[0][1] === -1;
}

function hinted(collection: Collection, filter: Filter, sort: Sort, hint: unknown): Plan {
  const name = typeof hint === 'string' ? hint : undefined;
  const pattern = JSON.stringify(typeof hint === 'object' ? numbers(hint as Doc) : undefined);
  if (pattern?.startsWith('{"$natural"')) return { reverse: pattern.includes('-1'), sorted: sort.length === 0, exact: matchesAll(filter) };
  const isId = name === '_id_' || pattern === '{"_id":1}';
  const index = collection.indexes.find(
    (other) => other.built && (other.name === name || JSON.stringify(numbers(other.spec.key as Doc)) === pattern),
  );
  if (!isId && !index)
    throw new CommandError(
      2,
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  const candidate = candidateOf(isId ? undefined : index, filter, sort, { forced: true });
  if (candidate === undefined) throw new CommandError(2, 'the hinted index cannot be used while the disk is full');
  return candidate.plan;
}

function numbers(pattern: Doc): Doc {
  return Object.fromEntries(Object.entries(pattern).map(([field, direction]) => [field, Number(direction)]));
}

/** What `index` (or `_id`) can do for the query; nothing when it neither bounds nor orders it. */
function candidateOf(
  index: Index | undefined,
  filter: Filter,
  sort: Sort,
  { forced = false, mayMerge = false, maySift = false } = {},
): Candidate | undefined {
  if (index && (!index.built || index.stale || !(forced || covers(index, filter)))) return undefined;
  const fields = index?.fields ?? idFields;
  let prefixes: Interval[] = [];
  const used = new Set<string>();
  let points = 0;
  let bounded = 0;
  const constant: boolean[] = [];
  for (const { path, descending } of fields) {
    const own = intervalsFor(path.name, filter, index?.multikey === true);
    if (own === undefined) break;
    const allPoints = own.every(({ point }) => point);
    if (prefixes.length * own.length > maxRanges) break;
    const turned = descending ? own.map(inverted).reverse() : own;
    prefixes = points === 0 ? turned : prefixes.flatMap((prefix) => turned.map((interval) => joined(prefix, interval)));
    used.add(path.name);
    if (!allPoints) {
      bounded++;
      break;
    }
    points++;
    constant.push(own.length === 1);
  }
  const mergeable = mayMerge && prefixes.length <= maxMerged && !fields.slice(0, points).some(({ path }) => named(sort, path.name));
  const inOrder = orderOf(fields, constant, sort);
  const order = inOrder ?? (mergeable ? orderOf(fields, constant.fill(true), sort) : undefined);
  const sift = maySift && index && (inOrder || points + bounded > 0) ? keySiftOf(filter, index, used) : [];
  if (!forced && points + bounded === 0 && sift.length === 0 && (sort.length === 0 || order === undefined)) return undefined;
  const ranges =
    points + bounded === 0 ? [everything] : prefixes.map(({ low, high }) => ({ low: boundBytes(low), high: boundBytes(high) }));
  const plan: Plan = {
    index,
    ranges,
    reverse: order === 'reverse',
    sorted: sort.length === 0 || (order !== undefined && index?.multikey !== true),
    merge: order === inOrder || index?.multikey ? undefined : sort,
    sift: sift.length > 0 && order === inOrder ? sift : undefined,
    exact:
      index?.multikey !== true &&
      filter.rest === undefined &&
      filter.patterns.length === 0 &&
      filter.alternatives.length === 0 &&
      filter.predicates.every((predicate) => used.has(predicate.path.name) && predicate.exists === undefined && !predicate.negated),
  };
  return { plan, points, bounded, kind: [...used, index?.partial || index?.sparse ? index.name : ''].join() };
}

function named(sort: Sort, name: string): boolean {
  return sort.some(([field]) => field === name);
}

/** A sparse or partial index may serve only queries that ask for nothing it leaves out. */
function covers(index: Index, filter: Filter): boolean {
  if (index.sparse) {
    const demanded = index.fields.some(({ path }) =>
      filter.predicates.some(
        (predicate) =>
          predicate.path.name === path.name &&
          (predicate.exists === true || (!predicate.negated && predicate.exists === undefined && !allowsNull(predicate.intervals))),
      ),
    );
    if (!demanded) return false;
  }
  if (!index.partial) return true;
  if (index.partial.rest || index.partial.patterns.length > 0 || index.partial.alternatives.length > 0) return false;
  return index.partial.predicates.every((condition) =>
    filter.predicates.some((predicate) => {
      if (predicate.path.name !== condition.path.name || predicate.negated || condition.negated) return false;
      if (condition.exists === true)
        return predicate.exists === true || (predicate.exists === undefined && !allowsNull(predicate.intervals));
      if (condition.exists === false) return predicate.exists === false;
      return predicate.exists === undefined && within(predicate.intervals, condition.intervals);
    }),
  );
}

/** Whether null may lie there, which in an index stands for missing values, too. */
export function allowsNull(intervals: Interval[]): boolean {
  return intervals.some(({ low }) => (low.key[0] as number) <= 0x10);
}

function within(inner: Interval[], outer: Interval[]): boolean {
  const both = intersect(inner, outer);
  return (
    both.length === inner.length &&
    both.every(
      ({ low, high }, i) =>
        boundBytes(low).equals(boundBytes((inner[i] as Interval).low)) && boundBytes(high).equals(boundBytes((inner[i] as Interval).high)),
    )
  );
}

/** Where the filter lets `field` lie. On a multikey index conditions may be met by different elements: only one can bound the walk. */
function intervalsFor(field: string, filter: Filter, multikey: boolean): Interval[] | undefined {
  let intervals: Interval[] | undefined;
  for (const predicate of filter.predicates) {
    if (predicate.path.name !== field || predicate.negated || predicate.exists !== undefined) continue;
    if (intervals === undefined) intervals = predicate.intervals;
    else if (!multikey) intervals = intersect(intervals, predicate.intervals);
  }
  return intervals;
}

function joined(prefix: Interval, next: Interval): Interval {
  const join = (bound: Interval['low']) => ({ key: Buffer.concat([prefix.low.key, bound.key]), after: bound.after });
  return { low: join(next.low), high: join(next.high), point: next.point };
}

/** Whether walking the index (forwards or in reverse) yields `sort`; fields bound to one value do not count. */
function orderOf(fields: Index['fields'], constant: boolean[], sort: Sort): 'forward' | 'reverse' | undefined {
  let direction: 'forward' | 'reverse' | undefined;
  let at = 0;
  for (const [field, wanted] of sort) {
    while (at < fields.length && fields[at]?.path.name !== field && constant[at]) at++;
    const own = fields[at];
    if (own?.path.name !== field) return undefined;
    if (!constant[at]) {
      const step = wanted < 0 === own.descending ? 'forward' : 'reverse';
      if (direction !== undefined && direction !== step) return undefined;
      direction = step;
    }
    at++;
  }
  return direction ?? 'forward';
}
