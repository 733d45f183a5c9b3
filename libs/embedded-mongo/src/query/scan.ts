import { CommandError } from '../errors.ts';
import { type Collection, toBuffer } from '../storage/catalogue.ts';
import type { Database } from '../storage/database.ts';
import type { Entries } from '../storage/entries.ts';
import { keysFor } from '../storage/index-spec.ts';
import { idKeyOf, type Row } from '../storage/rows.ts';
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

const maxPieceBytes = 4 * 1024 * 1024;
const maxPieceRows = 1000;

/** Starts a walk. No statement stays open between two pieces: each continues behind the last row of the one before. */
export function openScan({ database, entries }: Reader, collection: Collection, plan: Plan): Scan {
  if (plan.ranges === undefined) return tableScan(database, collection, plan.reverse);
  const ranges = plan.reverse ? [...plan.ranges].reverse() : plan.ranges;
  const seen = plan.index?.multikey ? new Set<number>() : undefined;
  let range = 0;
  let last: { key: Buffer; r: number } | undefined;
  let rowBytes = 64 * 1024;
  return {
    next(atMost) {
      if (plan.index?.stale) throw new CommandError(175, 'the index of this walk cannot be used any more: the disk is full');
      if (plan.index) entries.settle(plan.index);
      const wanted = Math.max(1, Math.min(atMost, maxPieceRows, Math.ceil(maxPieceBytes / rowBytes)));
      const found: Row[] = [];
      let bytes = 0;
      while (found.length < wanted && range < ranges.length && !collection.dropped) {
        const limit = wanted - found.length;
        const piece = readPiece(database, collection, plan, { range: ranges[range] as KeyRange, last, limit });
        for (const { row } of piece) {
          bytes += row.doc.length;
          if (seen === undefined || !seen.has(row.r)) found.push(row);
          seen?.add(row.r);
        }
        if (piece.length < limit) {
          range++;
          last = undefined;
        } else last = (piece.at(-1) as Piece).position();
      }
      if (found.length > 0) rowBytes = Math.max(64, bytes / found.length);
      return found.length > 0 ? found : undefined;
    },
  };
}

interface Piece {
  row: Row;
  position(): { key: Buffer; r: number };
}

function readPiece(
  database: Database,
  collection: Collection,
  { index, reverse }: Plan,
  { range, last, limit }: { range: KeyRange; last: { key: Buffer; r: number } | undefined; limit: number },
): Piece[] {
  const [low, high] = reverse ? [range.low, last?.key ?? range.high] : [last?.key ?? range.low, range.high];
  const order = reverse ? 'DESC' : 'ASC';
  if (index === undefined) {
    const lower = last && !reverse ? '>' : '>=';
    const sql = `SELECT r, doc FROM c${collection.id} WHERE id ${lower} ? AND id < ? ORDER BY id ${order} LIMIT ?`;
    return (database.prepare(sql).all(low, high, limit) as unknown as [number, Uint8Array][]).map(([r, bytes]) => {
      const row = { r, doc: toBuffer(bytes) };
      return { row, position: () => ({ key: idKeyOf(row.doc), r }) };
    });
  }
  const beyond = last ? `AND (i.k, i.r) ${reverse ? '<' : '>'} (?, ?)` : '';
  const key = index.multikey ? ', i.k' : '';
  const sql = `SELECT i.r, c.doc${key} FROM i${index.id} i CROSS JOIN c${collection.id} c ON c.r = i.r WHERE i.k >= ? AND i.k ${last && reverse ? '<=' : '<'} ? ${beyond} ORDER BY i.k ${order}, i.r ${order} LIMIT ?`;
  const bound = last ? [low, high, last.key, last.r, limit] : [low, high, limit];
  return (database.prepare(sql).all(...bound) as unknown as [number, Uint8Array, Uint8Array?][]).map(([r, bytes, entry]) => {
    const row = { r, doc: toBuffer(bytes) };
    return { row, position: () => ({ key: entry ? toBuffer(entry) : (keysFor(index, row.doc)[0] as Buffer), r }) };
  });
}

function tableScan(database: Database, collection: Collection, reverse: boolean): Scan {
  let last: number = reverse ? Number.MAX_SAFE_INTEGER : -1;
  let rowBytes = 64 * 1024;
  const sql = `SELECT r, doc FROM c${collection.id} WHERE r ${reverse ? '<' : '>'} ? ORDER BY r ${reverse ? 'DESC' : 'ASC'} LIMIT ?`;
  return {
    next(atMost) {
      if (collection.dropped) return undefined;
      const wanted = Math.max(1, Math.min(atMost, maxPieceRows, Math.ceil(maxPieceBytes / rowBytes)));
      const rows = (database.prepare(sql).all(last, wanted) as unknown as [number, Uint8Array][]).map(([r, bytes]) => ({
        r,
        doc: toBuffer(bytes),
      }));
      const final = rows.at(-1);
      if (final === undefined) return undefined;
      last = final.r;
      rowBytes = Math.max(64, rows.reduce((sum, row) => sum + row.doc.length, 0) / rows.length);
      return rows;
    },
  };
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
