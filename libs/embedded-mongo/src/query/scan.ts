import { CommandError } from '../errors.ts';
import type { Collection } from '../storage/catalogue.ts';
import type { Database } from '../storage/database.ts';
import type { Entries } from '../storage/entries.ts';
import { type Index, keysFor } from '../storage/index-spec.ts';
import { idKeyOf, type Row } from '../storage/rows.ts';
import { toBuffer } from '../values/document.ts';
import { boundBytes } from './interval.ts';
import type { KeyRange, Plan } from './plan.ts';

/** What a walk needs of the store. */
export interface Reader {
  database: Database;
  entries: Entries;
}

/** A walk over the rows of a plan, in pieces: between two pieces other commands may run and change the collection. */
export interface Scan {
  /** The next rows, at most about `atMost`; undefined at the end. */
  next(atMost: number): Row[] | undefined;
}

/** What a cursor that waits for its `getMore` may hold of a piece; there are up to 1 000 of them. */
const maxPieceBytes = 64 * 1024;
const maxPieceRows = 1000;

export interface Position {
  key: Buffer;
  r: number;
}

/**
 * Starts a walk. No statement stays open between two pieces: each continues behind the last row of the one before.
 * `skip` passes over that many entries without reading their documents; it is for exact plans.
 */
export function openScan(reader: Reader, collection: Collection, plan: Plan, skip = 0): Scan {
  const size = pieceSize();
  if (plan.ranges === undefined) return tableScan(reader.database, collection, { reverse: plan.reverse, skip, size });
  const ranges = plan.reverse ? [...plan.ranges].reverse() : plan.ranges;
  const seen = plan.index?.multikey ? new Set<number>() : undefined;
  let range = 0;
  let last: Position | undefined;
  let toSkip = skip;
  const passOver = () => {
    while (toSkip > 0 && range < ranges.length) {
      const own = ranges[range] as KeyRange;
      const there = countEntries(reader, collection, { ...plan, ranges: [own] }, toSkip + 1);
      if (there > toSkip) last = positionAt(reader.database, collection, plan, { range: own, offset: toSkip - 1 });
      else range++;
      toSkip = Math.max(0, toSkip - there);
    }
  };
  return {
    next(atMost) {
      checkStillThere(collection, plan);
      if (plan.index) reader.entries.settle(plan.index);
      passOver();
      const wanted = size.next(atMost);
      const found: Row[] = [];
      while (found.length < wanted && range < ranges.length) {
        const limit = wanted - found.length;
        const { rows, position } = readPiece(reader.database, collection, plan, { range: ranges[range] as KeyRange, last, limit });
        for (const row of rows) {
          if (seen === undefined || !seen.has(row.r)) found.push(row);
          seen?.add(row.r);
        }
        if (rows.length < limit) {
          range++;
          last = undefined;
        } else last = position;
      }
      size.learn(found);
      return found.length > 0 ? found : undefined;
    },
  };
}

/** Throws: CommandError 175 when a walk cannot go on. */
export function checkStillThere(collection: Collection, { index }: Pick<Plan, 'index'>): void {
  if (collection.dropped) throw new CommandError(175, `collection ${collection.db}.${collection.name} was dropped during the query`);
  if (index?.dropped) throw new CommandError(175, `index ${index.name} was dropped during the query`);
  if (index?.stale) throw new CommandError(175, `index ${index.name} cannot be used while the disk is full`);
}

/** How many rows a piece may have, by the size of the rows seen last. */
function pieceSize() {
  let rowBytes = 64 * 1024;
  return {
    next: (atMost: number) => Math.max(1, Math.min(atMost, maxPieceRows, Math.ceil(maxPieceBytes / rowBytes))),
    learn(rows: Row[]) {
      if (rows.length === 0) return;
      let bytes = 0;
      for (const { doc } of rows) bytes += doc.length;
      rowBytes = Math.max(64, bytes / rows.length);
    },
  };
}

function readPiece(
  database: Database,
  collection: Collection,
  { index, reverse }: Pick<Plan, 'index' | 'reverse'>,
  { range, last, limit }: { range: KeyRange; last: Position | undefined; limit: number },
): { rows: Row[]; position: Position | undefined } {
  const [low, high] = reverse ? [range.low, last?.key ?? range.high] : [last?.key ?? range.low, range.high];
  const order = reverse ? 'DESC' : 'ASC';
  if (index === undefined) {
    const lower = last && !reverse ? '>' : '>=';
    const sql = `SELECT r, doc FROM c${collection.id} WHERE id ${lower} ? AND id < ? ORDER BY id ${order} LIMIT ?`;
    const rows = toRows(database.prepare(sql).all(low, high, limit));
    const final = rows.at(-1);
    return { rows, position: final && { key: idKeyOf(final.doc), r: final.r } };
  }
  const beyond = last ? `AND (i.k, i.r) ${reverse ? '<' : '>'} (?, ?)` : '';
  const key = index.multikey ? ', i.k' : '';
  const sql = `SELECT i.r, c.doc${key} FROM i${index.id} i CROSS JOIN c${collection.id} c ON c.r = i.r WHERE i.k >= ? AND i.k ${last && reverse ? '<=' : '<'} ? ${beyond} ORDER BY i.k ${order}, i.r ${order} LIMIT ?`;
  const found = database.prepare(sql).all(...(last ? [low, high, last.key, last.r, limit] : [low, high, limit]));
  const rows = toRows(found);
  const final = rows.at(-1);
  if (final === undefined) return { rows, position: undefined };
  const entry = (found.at(-1) as unknown as [number, Uint8Array, Uint8Array?])[2];
  return { rows, position: { key: entry ? toBuffer(entry) : (keysFor(index, final.doc)[0] as Buffer), r: final.r } };
}

function toRows(found: unknown): Row[] {
  return (found as [number, Uint8Array][]).map(([r, bytes]) => ({ r, doc: toBuffer(bytes) }));
}

/** The position of an entry that is known to be in the range. */
function positionAt(
  database: Database,
  collection: Collection,
  { index, reverse }: Plan,
  { range, offset }: { range: KeyRange; offset: number },
): Position {
  const order = reverse ? 'DESC' : 'ASC';
  const [table, column] = index ? [`i${index.id}`, 'k'] : [`c${collection.id}`, 'id'];
  const sql = `SELECT ${column}, r FROM ${table} WHERE ${column} >= ? AND ${column} < ? ORDER BY ${column} ${order}, r ${order} LIMIT 1 OFFSET ?`;
  const [key, r] = database.prepare(sql).get(range.low, range.high, offset) as unknown as [Uint8Array, number];
  return { key: toBuffer(key), r };
}

function tableScan(
  database: Database,
  collection: Collection,
  { reverse, skip, size }: { reverse: boolean; skip: number; size: ReturnType<typeof pieceSize> },
): Scan {
  const order = reverse ? 'DESC' : 'ASC';
  let last: number | undefined = reverse ? Number.MAX_SAFE_INTEGER : -1;
  if (skip > 0) {
    const sql = `SELECT r FROM c${collection.id} ORDER BY r ${order} LIMIT 1 OFFSET ?`;
    last = (database.prepare(sql).get(skip - 1) as unknown as [number] | undefined)?.[0];
  }
  const sql = `SELECT r, doc FROM c${collection.id} WHERE r ${reverse ? '<' : '>'} ? ORDER BY r ${order} LIMIT ?`;
  return {
    next(atMost) {
      checkStillThere(collection, {});
      if (last === undefined) return undefined;
      const rows = toRows(database.prepare(sql).all(last, size.next(atMost)));
      size.learn(rows);
      last = rows.at(-1)?.r;
      return rows.length > 0 ? rows : undefined;
    },
  };
}

/**
 * One document for each value of the plan's index's first field, by jumping from value to value: for plans that bind nothing
 * but that field, and not to null, which stands for missing values, too.
 */
export function* oneOfEachValue(reader: Reader, collection: Collection, { index, ranges = [] }: Plan & { index: Index }) {
  const byFirst = { ...index, fields: index.fields.slice(0, 1) };
  reader.entries.settle(index);
  for (const { low, high } of ranges) {
    let from = low;
    for (;;) {
      checkStillThere(collection, { index });
      const { rows } = readPiece(
        reader.database,
        collection,
        { index, reverse: false },
        { range: { low: from, high }, last: undefined, limit: 1 },
      );
      const doc = rows[0]?.doc;
      if (doc === undefined) break;
      yield doc;
      const [key] = keysFor(byFirst, doc) as [Buffer];
      from = boundBytes({ key, after: true });
    }
  }
}

/** Entries in the plan's ranges, counted by SQLite alone, up to `cap`. */
export function countEntries(
  { database, entries }: Reader,
  collection: Collection,
  { index, ranges }: Plan,
  cap = Number.MAX_SAFE_INTEGER,
): number {
  if (index) entries.settle(index);
  if (ranges === undefined) return Math.min(collection.count, cap);
  const [table, column] = index ? [`i${index.id}`, 'k'] : [`c${collection.id}`, 'id'];
  const statement = database.prepare(`SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${column} >= ? AND ${column} < ? LIMIT ?)`);
  let count = 0;
  for (const { low, high } of ranges) {
    if (count >= cap) break;
    count += Number((statement.get(low, high, cap - count) as unknown as [number])[0]);
  }
  return count;
}
