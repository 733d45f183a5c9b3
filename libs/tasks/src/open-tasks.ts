import { longestSubmitMs, type TaskKind } from '@tollgate/contracts';
import { isDuplicate, rows, type TaskRow } from '@tollgate/db';
import { failure, type TaskChange } from './states.ts';

const mostAtOnce = 20_000;

/** Open tasks that a provider accepted, oldest first. `prompt` is empty where the caller gave none; others are not read, as they are long. */
export async function* openTasks(kind: TaskKind): AsyncGenerator<TaskRow> {
  const unprompted = await withoutPrompt(kind);
  const open = rows.tasks().find({ kind, isOpen: true }, { sort: { at: 1 }, limit: mostAtOnce, projection: { prompt: 0 } });
  for await (const row of open) {
    if (row.upstreamId === undefined) continue;
    if (unprompted.has(row._id)) row.prompt = '';
    yield row;
  }
}

async function withoutPrompt(kind: TaskKind): Promise<ReadonlySet<string>> {
  const found = await rows
    .tasks()
    .find({ kind, isOpen: true, prompt: '' }, { limit: mostAtOnce, projection: { _id: 1 } })
    .toArray();
  return new Set(found.map(({ _id }) => _id));
}

/** Writes the changes of rows that are still as they were read; a task that ended since stays as it is. Returns how many rows it changed. */
export async function changeTasks(tasks: readonly TaskRow[], changeOf: (row: TaskRow) => TaskChange, now: Date): Promise<number> {
  const operations = tasks.flatMap((row) => {
    const change = changeOf(row);
    if (change === undefined) return [];
    const isOver = change.status === 'SUCCESS' || change.status === 'FAILURE';
    const update = { $set: { ...change, updatedAt: now }, ...(isOver && { $unset: { isOpen: '' as const, misses: '' as const } }) };
    return [{ updateOne: { filter: { _id: row._id, isOpen: true as const, status: row.status }, update } }];
  });
  if (operations.length === 0) return 0;
  return (await rows.tasks().bulkWrite(operations, { ordered: false })).modifiedCount;
}

/** Fails tasks that no provider accepted in time: their relay died while it submitted them. Returns how many. */
export async function endUnsent(kind: TaskKind, now: Date): Promise<number> {
  const since = new Date(now.getTime() - longestSubmitMs);
  const { modifiedCount } = await rows
    .tasks()
    .updateMany(
      { kind, isOpen: true, status: '', at: { $lt: since } },
      { $set: { ...failure({ quota: 1 }, 'It was lost before a provider had taken it', now), updatedAt: now }, $unset: { isOpen: '' } },
    );
  return modifiedCount;
}

/** An open task by its id. */
export async function openTask(taskId: string): Promise<TaskRow | null> {
  return rows.tasks().findOne({ _id: taskId, isOpen: true });
}

/** Whether some task of a channel has this id of the provider. */
export async function isKnownUpstream(upstreamId: string, channelId: number): Promise<boolean> {
  return (await rows.tasks().findOne({ upstreamId, channelId }, { projection: { _id: 1 } })) !== null;
}

/** Gives a task whose relay died the id that its provider states. Returns undefined where the task ended or has an id by now. */
export async function adoptUpstreamId(row: TaskRow, upstreamId: string): Promise<TaskRow | undefined> {
  try {
    const filter = { _id: row._id, isOpen: true as const, status: '' as const };
    const { modifiedCount } = await rows.tasks().updateOne(filter, { $set: { upstreamId, status: 'SUBMITTED' } });
    return modifiedCount === 1 ? { ...row, upstreamId, status: 'SUBMITTED' } : undefined;
  } catch (error) {
    if (isDuplicate(error)) return undefined;
    throw error;
  }
}
