import type { Collection } from '../storage/catalogue.ts';
import type { Index } from '../storage/index-spec.ts';
import type { Row } from '../storage/rows.ts';
import type { Store } from '../store.ts';
import type { Stream } from '../stream.ts';
import type { Filter } from './filter.ts';
import { allowsNull, choosePlan, type KeyRange, type Plan, type Sort } from './plan.ts';
import type { Project } from './projection.ts';
import { countEntries, oneOfEachValue, openScan, type Reader, type Scan } from './scan.ts';
import { openSiftedScan } from './sift.ts';
import { openSorter, openSortKeys } from './sort.ts';

/** A range that is being walked: its rows that were read ahead, and the key of the first of them. */
interface Head {
  scan: Scan;
  rows: Row[];
  at: number;
  key: Buffer;
  /** How many rows to read next: few at first, because most ranges give little to a page. */
  wanted: number;
}

const firstRows = 4;
const mostRows = 16;
const mostAtOnce = 64;

/** Walks the plan's ranges side by side, always on with the one whose next row comes first in the order. */
function openMerge(reader: Reader, collection: Collection, plan: Plan, sort: Sort): Scan {
  const keyOf = openSortKeys(sort);
  let heads: Head[] | undefined;
  const read = (head: Head): boolean => {
    const rows = head.scan.next(head.wanted);
    if (rows === undefined) return false;
    Object.assign(head, { rows, at: 0, key: keyOf((rows[0] as Row).doc), wanted: Math.min(head.wanted * 2, mostRows) });
    return true;
  };
  const open = (range: KeyRange): Head => {
    const scan = openScan(reader, collection, { ...plan, ranges: [range] });
    return { scan, rows: [], at: 0, key: Buffer.alloc(0), wanted: firstRows };
  };
  return {
    next(atMost) {
      heads ??= (plan.ranges ?? []).map(open).filter(read).sort(inOrder);
      const found: Row[] = [];
      while (found.length < Math.min(atMost, mostAtOnce)) {
        const [head] = heads;
        if (head === undefined) break;
        found.push(head.rows[head.at++] as Row);
        if (head.at < head.rows.length) head.key = keyOf((head.rows[head.at] as Row).doc);
        else if (!read(head)) {
          heads.shift();
          continue;
        }
        let place = 1; // heads stay sorted: this one moves back past those that now come before it
        for (; place < heads.length && inOrder(heads[place] as Head, head) <= 0; place++) heads[place - 1] = heads[place] as Head;
        heads[place - 1] = head;
      }
      return found.length > 0 ? found : undefined;
    },
  };
}

function inOrder(a: Head, b: Head): number {
  return Buffer.compare(a.key, b.key);
}

export interface Query {
  filter: Filter;
  sort?: Sort;
  skip?: number;
  limit?: number;
  hint?: unknown;
  project?: Project;
}

/** The plan of a query. A walk that merges or sifts keys is for readers only: it reads ahead. */
export function planOf(
  store: Store,
  collection: Collection,
  { filter, sort, hint }: Query,
  { mayMerge = false, maySift = false } = {},
): Plan {
  return choosePlan(collection, filter, {
    sort,
    hint,
    mayMerge,
    maySift,
    measure: (plan, cap) => countEntries(store, collection, plan, cap),
  });
}

export interface Walk {
  filter: Filter;
  plan: Plan;
  /** How many rows are probably enough. */
  wanted?: number;
  /** Entries to pass over; only for exact plans that merge nothing. */
  skip?: number;
  /** Rows are forgotten as soon as they are looked at. */
  keepsNone?: boolean;
  /** The largest piece. */
  pieceRows?: number;
}

function scanOf(store: Store, collection: Collection, { filter, plan, skip, keepsNone }: Walk): Scan {
  if (plan.merge) return openMerge(store, collection, plan, plan.merge);
  const needles = plan.exact || plan.sift ? [] : filter.needles;
  const sifts = !plan.index?.multikey && (needles.length > 0 || plan.sift || keepsNone);
  return sifts ? openSiftedScan(store, collection, plan, { needles, keepsNone }) : openScan(store, collection, plan, skip);
}

/** Rows that match, in the order of the plan, a piece at a time. */
export function* matchingRows(store: Store, collection: Collection, walk: Walk): Stream<Row[]> {
  const { filter, plan, wanted = Number.POSITIVE_INFINITY, pieceRows = 1000 } = walk;
  const scan = scanOf(store, collection, walk);
  let atMost = Math.min(pieceRows, plan.exact ? wanted : Math.max(64, Math.min(wanted * 2, 256)));
  for (let rows = scan.next(atMost); rows !== undefined; rows = scan.next(atMost)) {
    const matching = plan.exact ? rows : rows.filter(({ doc }) => filter.matches(doc));
    if (matching.length > 0) yield matching;
    yield undefined;
    atMost = pieceRows;
  }
}

/** The documents of a query, as `find` gives them. */
export function* documents(store: Store, collection: Collection | undefined, query: Query): Stream<Buffer> {
  if (collection === undefined) return;
  const { filter, sort = [], skip = 0, limit = Number.POSITIVE_INFINITY, project } = query;
  const plan = planOf(store, collection, query, { mayMerge: true, maySift: true });
  let left = limit;
  let toSkip = plan.exact && !plan.merge ? 0 : skip;
  if (!plan.sorted) {
    const sorter = openSorter(sort, skip + limit);
    for (const rows of matchingRows(store, collection, { filter, plan })) {
      if (rows === undefined) yield undefined;
      else for (const { doc } of rows) sorter.add(doc);
    }
    for (const doc of sorter.sorted().slice(skip)) yield project ? project(doc) : doc;
    return;
  }
  for (const rows of matchingRows(store, collection, { filter, plan, wanted: toSkip + limit, skip: skip - toSkip })) {
    if (rows === undefined) {
      yield undefined;
      continue;
    }
    for (const { doc } of rows) {
      if (toSkip > 0) toSkip--;
      else {
        yield project ? project(doc) : doc;
        if (--left <= 0) return;
      }
    }
  }
}

/** Documents that match, among them one for each value of the field: not more than that, where an index can leap over the others. */
export function* documentsOfValues(store: Store, collection: Collection | undefined, field: string, query: Query): Stream<Buffer> {
  const plan = collection && planOf(store, collection, query);
  const { index } = plan ?? {};
  const leaps =
    plan?.exact &&
    index?.fields[0]?.path.name === field &&
    query.filter.predicates.every((own) => own.path.name === field && !allowsNull(own.intervals));
  if (leaps) yield* oneOfEachValue(store, collection as Collection, { ...plan, index: index as Index });
  else yield* documents(store, collection, query);
}

/** How many documents match, up to `limit` after `skip`. */
export function* countMatching(store: Store, collection: Collection | undefined, query: Query): Generator<undefined, number> {
  if (collection === undefined) return 0;
  const { filter, skip = 0, limit = Number.POSITIVE_INFINITY } = query;
  const most = skip + limit;
  const plan = planOf(store, collection, query, { maySift: true });
  if (plan.exact) return Math.max(0, countEntries(store, collection, plan, most === Number.POSITIVE_INFINITY ? undefined : most) - skip);
  let count = 0;
  for (const rows of matchingRows(store, collection, { filter, plan, keepsNone: true })) {
    if (rows === undefined) yield undefined;
    else count += rows.length;
    if (count >= most) break;
  }
  return Math.max(0, Math.min(count, most) - skip);
}
