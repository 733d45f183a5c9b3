import { randomBytes } from 'node:crypto';
import { type RowBefore, Undo, type UndoDoc } from '@tollgate/db';
import type { Caller } from '../auth/caller.ts';
import type { ChangedRow } from '../row-change.ts';

/** For so long a deed can be taken back. */
const keptMs = 10 * 60_000;

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
  await Undo.create({ _id: id, userId: caller.id, action, kind, ...kept, expiresAt: new Date(Date.now() + keptMs) });
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
