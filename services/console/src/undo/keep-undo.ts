import { randomBytes } from 'node:crypto';
import { type RowBefore, Undo, type UndoDoc } from '@tollgate/db';
import type { Caller } from '../auth/caller.ts';
import { type BulkCollection, type ChangedRow, changeRows, type Versioned } from '../row-change.ts';

/** For so long a deed can be taken back. */
export const undoKeptMs = 10 * 60_000;

/** Of one person: whoever changes much again and again would fill the database with what stood there before. */
const mostKept = 50;

/** A record has to stay below what a document may hold (16 MB), for which its JSON text is a measure. */
const mostBytes = 6 << 20;

type Deed<Row> = Pick<UndoDoc, 'action' | 'kind'> & { changed?: ChangedRow<Row>[]; deleted?: Partial<UndoDoc['deleted']> };

/** Keeps what stood there before a deed; answers the name by which it can be taken back, undefined where nothing was done, or too much. */
export async function keepUndo<Row extends { _id: unknown }>(caller: Caller, deed: Deed<Row>): Promise<string | undefined> {
  const { action, kind, changed = [], deleted: { channels = [], tests = [] } = {} } = deed;
  if (changed.length + channels.length === 0) return undefined;
  const kept = { changed: changed.map(rowBefore), deleted: { channels, tests } };
  if (Buffer.byteLength(JSON.stringify(kept)) > mostBytes) return undefined;
  const id = randomBytes(16).toString('base64url');
  await Undo.create({ _id: id, userId: caller.id, action, kind, ...kept, expiresAt: new Date(Date.now() + undoKeptMs) });
  await forgetOldest(caller.id);
  return id;
}

async function forgetOldest(userId: number): Promise<void> {
  const [oldest] = await Undo.find({ userId }).sort({ expiresAt: -1 }).skip(mostKept).limit(1).select('expiresAt').lean();
  if (oldest) await Undo.deleteMany({ userId, expiresAt: { $lte: oldest.expiresAt } });
}

function rowBefore<Row extends { _id: unknown }>({ before, changed, version }: ChangedRow<Row>): RowBefore {
  const there = changed.filter((name) => before[name] !== undefined);
  return { row: before._id, version, fields: changed, before: Object.fromEntries(there.map((name) => [name, before[name]])) };
}

/**
 * Gives rows back what stood in them before a deed, those in which nobody has changed the same fields since and which `may` lets.
 * Returns the rows, as the deed had left them, that are what they were.
 */
export async function putBack<Row extends Versioned>(
  collection: BulkCollection<Row>,
  kept: readonly RowBefore[],
  may: (row: Row) => boolean = () => true,
): Promise<Row[]> {
  if (kept.length === 0) return [];
  const byRow = new Map(kept.map((each) => [String(each.row), each]));
  const rows = await collection.find({ _id: { $in: kept.map(({ row }) => row) } }).lean();
  const changed = await changeRows(collection, rows, (row) => {
    const each = byRow.get(String(row._id));
    const isAsLeft = each?.fields.every((name) => row.changes?.[name] === each.version);
    if (!each || !isAsLeft || !may(row)) return {};
    return Object.fromEntries(each.fields.map((name) => [name, each.before[name]])) as Partial<Row>;
  });
  return changed.map(({ before }) => before);
}
