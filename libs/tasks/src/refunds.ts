import { rows, type TaskRow } from '@tollgate/db';

/** The id of a task's refund: of its event, its log row and its posting, so a refund that runs twice counts once. */
export function taskRefundId(taskId: string): string {
  return `task-refund:${taskId}`;
}

/** A failed task whose refund is still due. */
export type DueTask = Pick<TaskRow, '_id' | 'userId' | 'updatedAt'>;

/** Failed tasks whose refund is due, oldest first. */
export function dueRefunds(limit: number): AsyncIterable<DueTask> {
  return rows.tasks().find({ refund: 'due' }, { projection: { userId: 1, updatedAt: 1 }, sort: { at: 1 }, limit });
}

/** Notes that refunds are posted (`done`), or that nothing was charged (`none`). Returns how many rows it changed. */
export async function endRefunds(tasks: readonly DueTask[], refund: 'done' | 'none'): Promise<number> {
  if (tasks.length === 0) return 0;
  const ids = tasks.map(({ _id }) => _id);
  return (await rows.tasks().updateMany({ _id: { $in: ids }, refund: 'due' }, { $set: { refund } })).modifiedCount;
}
