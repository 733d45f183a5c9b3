import { type Bus, topics } from '@tollgate/bus';
import { taskFailedVersion } from '@tollgate/contracts';
import { rows } from '@tollgate/db';
import { taskRefundId } from '@tollgate/tasks';
import type { Wallet } from '@tollgate/wallet';
import { chargedTasks } from './charged-tasks.ts';

const pageSize = 500;
const mostAtOnce = 20_000;

/**
 * Publishes the failed tasks whose refund is due. The task row is the outbox until the refund is in the log, and a task published twice is
 * refunded once. Returns the number published.
 */
export async function publishFailed({ bus, wallet }: { bus: Pick<Bus, 'publish'>; wallet: Pick<Wallet, 'now'> }): Promise<number> {
  let published = 0;
  let page: string[] = [];
  const due = rows.tasks().find({ refund: 'due' }, { projection: { _id: 1 }, sort: { at: 1 }, limit: mostAtOnce });
  for await (const { _id } of due) {
    page.push(_id);
    if (page.length < pageSize) continue;
    published += await publish(page);
    page = [];
  }
  return published + (await publish(page));

  async function publish(taskIds: string[]): Promise<number> {
    if (taskIds.length === 0) return 0;
    const given = await rows
      .usageLogs()
      .find({ _id: { $in: taskIds.map(taskRefundId) } }, { projection: { refundOf: 1 } })
      .toArray();
    const isGiven = new Set(given.map(({ refundOf }) => refundOf));
    const charged = await chargedTasks(taskIds.filter((id) => !isGiven.has(id)));
    if (charged.size === 0) return 0;
    const at = await wallet.now();
    const messages = Array.from(charged.values(), ({ _id: id, userId }) => ({
      key: String(userId),
      value: { version: taskFailedVersion, id, userId, at } as const,
    }));
    await bus.publish(topics.taskFailed, messages);
    return messages.length;
  }
}
