import { StoredObject, User } from '@tollgate/db';
import { undoKeptMs } from '../../undo/keep-undo.ts';

const usersAtOnce = 1000;

/** Deletes what the Responses API stores for users who were deleted and whose deletion cannot be undone anymore; returns how many objects. */
export async function clearStoredObjects(nowMs: number, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const gone = await User.find({ id: { $gt: after }, deletedAt: { $lt: new Date(nowMs - undoKeptMs) } })
      .sort({ id: 1 })
      .limit(usersAtOnce)
      .select('id')
      .lean();
    if (gone.length === 0) return deleted;
    deleted += await deleteStoredObjects(gone.map(({ id }) => id));
    after = gone.at(-1)?.id ?? 0;
  }
}

/** Deletes all responses and conversations of these users; returns how many objects. */
export async function deleteStoredObjects(userIds: readonly number[]): Promise<number> {
  const { deletedCount } = await StoredObject.deleteMany({ userId: { $in: [...userIds] } });
  return deletedCount;
}
