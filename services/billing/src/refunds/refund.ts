import type { Delivery } from '@tollgate/bus';
import { logType, type TaskFailed } from '@tollgate/contracts';
import { taskRefundId } from '@tollgate/tasks';
import type { Wallet } from '@tollgate/wallet';
import { amountOf, type Charge, groupBy, markOf, sum } from '../settlement/charge.ts';
import { insertRows } from '../settlement/log-rows.ts';
import { charge } from '../settlement/settle.ts';
import { type ChargedTask, chargedTasks } from './charged-tasks.ts';

/** Machine clocks differ by minutes; an event from a day ahead is invalid. */
const aheadMs = 24 * 3_600_000;

export interface Refunded {
  refunded: number;
  quota: number;
}

interface RefundDependencies {
  wallet: Pick<Wallet, 'open' | 'settle' | 'time'>;
  reject(delivery: Delivery<TaskFailed>, reason: string): void;
}

/**
 * Refunds failed tasks. A refund is a negative charge, counted in the same places as the charge, under the marks of its own topic. It is as
 * repeatable as `settle`: its log row is unique by the task's id.
 */
export async function refund(batch: Delivery<TaskFailed>[], { wallet, reject }: RefundDependencies): Promise<Refunded> {
  const tasks = await chargedTasks(batch.map(({ value }) => value.id));
  const made: Charge[] = [];
  for (const delivery of batch) {
    const { id, userId, at } = delivery.value;
    const task = tasks.get(id);
    if (task === undefined || task.userId !== userId) reject(delivery, `task ${id} of user ${userId} has not failed, or was not charged`);
    else if (at > wallet.time() + aheadMs) reject(delivery, 'it was told more than a day from now');
    else made.push(refundRow(task, delivery));
  }
  const { charges, redelivered } = await insertRows(made);
  for (const [mark, own] of groupBy(charges, markOf)) await charge(mark, own, { wallet });
  return { refunded: charges.length - redelivered, quota: -sum(charges, amountOf) };
}

function refundRow({ log, upstreamId }: ChargedTask, { value: { id, at }, coordinates }: Delivery<TaskFailed>): Charge {
  const { userId, username, tokenId, tokenName, group, model, channelId, channelName, quota, uncollected, hidden, budgets } = log;
  return {
    _id: taskRefundId(id),
    type: logType.system,
    refundOf: id,
    at: new Date(at),
    userId,
    username,
    tokenId,
    tokenName,
    group,
    model,
    channelId,
    channelName,
    promptTokens: 0,
    completionTokens: 0,
    quota: 0 - quota,
    uncollected: 0 - uncollected,
    ...(budgets !== undefined && { budgets }),
    ...(hidden
      ? { hidden }
      : { content: '', text: { code: 'task_refunded', values: { id: upstreamId ?? id, quota: quota - uncollected } } }),
    epoch: coordinates.epoch,
    partition: coordinates.partition,
    offset: coordinates.offset,
  };
}
