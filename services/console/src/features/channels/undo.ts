import { Channel, ChannelTest, isDuplicate, type UndoDoc } from '@tollgate/db';
import type { Context } from '../../context.ts';
import { putBack } from '../../undo/keep-undo.ts';
import { announceChannels } from './change.ts';
import { type KeyedRow, resealedSecrets } from './key-rows.ts';
import type { ChannelRow } from './views.ts';

/** Channels as they were, under their ids: those that were changed, and those that were deleted, with their keys and last tests. */
export async function putBackChannels(context: Context, { changed, deleted }: UndoDoc): Promise<number[]> {
  const back = await putBack<ChannelRow>(Channel, changed);
  const ids = [...back.map(({ id }) => id), ...(await insertAgain(deleted))];
  await announceChannels(context, ids);
  return ids;
}

async function insertAgain({ channels, tests }: UndoDoc['deleted']): Promise<number[]> {
  if (channels.length === 0) return [];
  const gone = channels as unknown as KeyedRow[];
  const there = new Set(await Channel.distinct('id', { id: { $in: gone.map(({ id }) => id) } }));
  const rows = gone.filter(({ id }) => !there.has(id)).map(underTodaysKey);
  if (rows.length > 0) await Channel.collection.insertMany(rows as never[], { ordered: false }).catch(passOverDuplicates);
  if (tests.length > 0) await ChannelTest.collection.insertMany(tests as never[], { ordered: false }).catch(passOverDuplicates);
  return rows.map(({ id }) => id);
}

/** The master key that sealed it may be on its way out. */
function underTodaysKey(row: KeyedRow): KeyedRow {
  return { ...row, ...resealedSecrets(row) };
}

/** Somebody takes the same back at the same time. */
function passOverDuplicates(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}
