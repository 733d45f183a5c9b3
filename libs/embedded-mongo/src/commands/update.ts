import { CommandError } from '../errors.ts';
import { compileFilter, type Filter } from '../query/filter.ts';
import { openSorter, parseSort } from '../query/sort.ts';
import { matchingRows, planOf } from '../query/stream.ts';
import type { Collection } from '../storage/catalogue.ts';
import type { Row } from '../storage/rows.ts';
import type { Store } from '../store.ts';
import { compileUpdate, type Update } from '../update/apply.ts';
import { decode, decodeValue } from '../values/decode.ts';
import type { Doc } from '../values/document.ts';
import { findField } from '../values/raw.ts';
import { collectionName, type Request, rawList, refuseCollation, type Work, writeError } from './request.ts';

const idName = Buffer.from('_id');

interface Outcome {
  matched: number;
  modified: number;
  upserted?: unknown;
}

/** `update`: the statements in their order. */
export function* update(store: Store, request: Request): Work {
  const name = collectionName(request);
  const ordered = request.body.ordered !== false;
  const variables = request.body.let as Doc | undefined;
  const [writeErrors, upserted]: [Doc[], Doc[]] = [[], []];
  let [n, nModified] = [0, 0];
  for (const [index, raw] of rawList(request, 'updates').entries()) {
    try {
      const outcome = yield* updateOne(store, { db: request.db, name, statement: decode(raw), variables });
      n += outcome.matched + (outcome.upserted === undefined ? 0 : 1);
      nModified += outcome.modified;
      if (outcome.upserted !== undefined) upserted.push({ index, _id: outcome.upserted });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push(writeError(index, error));
      if (ordered) break;
    }
    if (index % 16 === 15) yield undefined;
  }
  const answer: Doc = { n, nModified, ok: 1 };
  if (upserted.length > 0) answer.upserted = upserted;
  if (writeErrors.length > 0) answer.writeErrors = writeErrors;
  return answer;
}

function* updateOne(store: Store, target: { db: string; name: string; statement: Doc; variables?: Doc }): Generator<undefined, Outcome> {
  const { q, u, multi, upsert, arrayFilters, c, hint, sort } = target.statement;
  refuseCollation(target.statement);
  const filter = compileFilter(q as Doc);
  const change = compileUpdate(u, {
    arrayFilters: arrayFilters as Doc[] | undefined,
    variables: (c as Doc | undefined) ?? target.variables,
  });
  if (multi === true && change.isReplacement) throw new CommandError(9, 'multi update is not supported for replacement-style update');
  const collection = upsert === true ? store.catalogue.ensure(target.db, target.name) : store.catalogue.find(target.db, target.name);
  if (collection === undefined) return { matched: 0, modified: 0 };
  if (multi === true) {
    const outcome = yield* updateAll(store, collection, { filter, change, hint });
    if (outcome.matched > 0 || upsert !== true) return outcome;
  } else {
    const row = yield* firstRow(store, collection, { filter, hint, sort, patient: upsert !== true });
    if (row) return { matched: 1, modified: +applyTo(store, collection, { row, filter, change }).modified };
    if (upsert !== true) return { matched: 0, modified: 0 };
  }
  const inserted = insertUpsert(store, collection, { filter, change });
  return { matched: 0, modified: 0, upserted: inserted.id };
}

/** Inserts what an upsert makes. */
export function insertUpsert(
  store: Store,
  collection: Collection,
  { filter, change }: { filter: Filter; change: Update },
): { id: unknown; doc: Buffer } {
  const doc = change.upsert(filter);
  store.rows.insert(collection, doc);
  const { type, at } = findField(doc, 0, idName);
  return { id: decodeValue(doc, type, at), doc };
}

/** Changes one row; the buffer after it is the document as stored now. */
export function applyTo(
  store: Store,
  collection: Collection,
  { row, filter, change }: { row: Row; filter: Filter; change: Update },
): { doc: Buffer; modified: boolean } {
  const doc = change.apply(row.doc, filter);
  if (doc === row.doc) return { doc, modified: false };
  store.rows.replace(collection, row, doc, change.changed);
  return { doc, modified: true };
}

/**
 * The first matching row. Between finding it and what the caller does next nothing else runs. When not `patient` the
 * whole search is one step, so that two upserts of one key cannot both find nothing.
 */
export function* firstRow(
  store: Store,
  collection: Collection,
  { filter, hint, sort, patient }: { filter: Filter; hint?: unknown; sort?: unknown; patient: boolean },
): Generator<undefined, Row | undefined> {
  const id = hint === undefined ? idPoint(filter) : undefined;
  if (id) {
    const row = store.rows.byId(collection, id);
    return row && filter.matches(row.doc) ? row : undefined;
  }
  const order = parseSort(sort);
  const plan = planOf(store, collection, { filter, sort: order, hint });
  if (plan.sorted) {
    for (const rows of matchingRows(store, collection, { filter, plan, wanted: 1 })) {
      if (rows) return rows[0];
      if (patient) yield undefined;
    }
    return undefined;
  }
  return firstSorted(store, collection, { filter, plan, order });
}

/** The key of the one `_id` that the filter allows. */
function idPoint({ predicates }: Filter): Buffer | undefined {
  const own = predicates.find(
    ({ path, intervals, negated, exists }) =>
      path.name === '_id' && !negated && exists === undefined && intervals.length === 1 && intervals[0]?.point,
  );
  return own?.intervals[0]?.low.key;
}

function firstSorted(
  store: Store,
  collection: Collection,
  { filter, plan, order }: { filter: Filter; plan: ReturnType<typeof planOf>; order: ReturnType<typeof parseSort> },
): Row | undefined {
  const sorter = openSorter(order, 1);
  const numbers = new Map<Buffer, number>();
  for (const rows of matchingRows(store, collection, { filter, plan })) {
    for (const row of rows ?? []) {
      sorter.add(row.doc);
      numbers.set(row.doc, row.r);
    }
    const [best] = sorter.sorted();
    for (const doc of numbers.keys()) if (doc !== best) numbers.delete(doc);
  }
  const [doc] = sorter.sorted();
  return doc && { r: numbers.get(doc) as number, doc };
}

/** First all rows are noted, then each is changed: an update that moves a row inside the index meets it only once. */
function* updateAll(
  store: Store,
  collection: Collection,
  { filter, change, hint }: { filter: Filter; change: Update; hint?: unknown },
): Generator<undefined, Outcome> {
  const found: number[] = [];
  for (const rows of matchingRows(store, collection, { filter, plan: planOf(store, collection, { filter, hint }) })) {
    if (rows) for (const { r } of rows) found.push(r);
    else yield undefined;
  }
  let [matched, modified] = [0, 0];
  for (const [i, r] of found.entries()) {
    if (collection.dropped) break;
    const row = store.rows.byNumber(collection, r);
    if (row && filter.matches(row.doc)) {
      matched++;
      modified += +applyTo(store, collection, { row, filter, change }).modified;
    }
    if (i % 32 === 31) yield undefined;
  }
  return { matched, modified };
}
