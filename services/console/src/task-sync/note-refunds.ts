import { rows } from '@tollgate/db';
import { type DueTask, dueRefunds, endRefunds, taskRefundId } from '@tollgate/tasks';
import type { SyncContext } from './sync-tasks.ts';

const pageSize = 500;
const mostAtOnce = 20_000;
/** So long a charge may be on its way that nothing is seen of: its hold lost with Redis, its event on the bus. */
const patienceMs = 15 * 60_000;

/**
 * Ends what failed tasks are owed: `done` where billing has given it back, `none` where nothing was charged and nothing can be any more.
 * Returns how many it ended.
 */
export async function noteRefunds(context: SyncContext): Promise<number> {
  let noted = 0;
  let page: DueTask[] = [];
  for await (const row of dueRefunds(mostAtOnce)) {
    page.push(row);
    if (page.length < pageSize) continue;
    noted += await notePage(context, page);
    page = [];
  }
  return noted + (await notePage(context, page));
}

async function notePage({ wallet }: SyncContext, page: DueTask[]): Promise<number> {
  if (page.length === 0) return 0;
  const before = wallet.time() - patienceMs;
  const patient = page.filter(({ updatedAt }) => updatedAt.getTime() < before);
  // First the hold, then the log: a charge goes from one to the other.
  const standing = await wallet.existingHolds(patient.map(({ _id: requestId, userId }) => ({ userId, requestId })));
  const ids = page.flatMap(({ _id }) => [_id, taskRefundId(_id)]);
  const logged = await rows
    .usageLogs()
    .find({ _id: { $in: ids } }, { projection: { _id: 1 } })
    .toArray();
  const isLogged = new Set(logged.map(({ _id }) => _id));
  const done = page.filter(({ _id }) => isLogged.has(taskRefundId(_id)));
  const none = patient.filter(({ _id }) => !isLogged.has(_id) && !standing.has(_id));
  return (await endRefunds(done, 'done')) + (await endRefunds(none, 'none'));
}
