import { StoredObject, User } from '@tollgate/db';
import { inPages } from '../../in-pages.ts';
import { undoKeptMs } from '../../undo/keep-undo.ts';

const usersAtOnce = 1000;

/** Deletes what the Responses API stores for users who were deleted and whose deletion cannot be undone anymore; returns how many objects. */
export async function clearStoredObjects(nowMs: number, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  const deletedAt = { $lt: new Date(nowMs - undoKeptMs) };
  // The sort makes MongoDB jump from user to user in the index instead of reading every object.
  const owners = StoredObject.aggregate<{ _id: number }>([{ $sort: { userId: 1 } }, { $group: { _id: '$userId' } }]);
  for await (const page of inPages(owners.cursor(), usersAtOnce)) {
    signal.throwIfAborted();
    const gone = await User.find({ id: { $in: page.map(({ _id }) => _id) }, deletedAt })
      .select('id')
      .lean();
    if (gone.length > 0) deleted += await deleteStoredObjects(gone.map(({ id }) => id));
  }
  return deleted;
}

/** Deletes all responses and conversations of these users; returns how many objects. */
export async function deleteStoredObjects(userIds: readonly number[]): Promise<number> {
  const { deletedCount } = await StoredObject.deleteMany({ userId: { $in: [...userIds] } });
  return deletedCount;
}
