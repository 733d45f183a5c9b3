import { rows, SettlementEpoch, type TaskRow, type UsageLogRow, type WalletRow } from '@tollgate/db';
import { markName } from '../settlement/charge.ts';

/** The log row of a task's charge, with its uncollected part. */
export type ChargedTask = Pick<TaskRow, '_id' | 'userId' | 'upstreamId'> & { log: UsageLogRow };

/**
 * Those of the tasks that failed and were charged, by id. Excludes charges that are logged but not yet taken from the wallet, because their
 * collected part is unknown. A task that is included once stays included.
 */
export async function chargedTasks(taskIds: string[]): Promise<Map<string, ChargedTask>> {
  const failed = await rows
    .tasks()
    .find(
      { _id: { $in: taskIds }, status: 'FAILURE', refund: { $in: ['due', 'done'] } },
      { projection: { userId: 1, upstreamId: 1, kind: 1 } },
    )
    .toArray();
  const logs = await rows
    .usageLogs()
    .find({ _id: { $in: failed.map(({ _id }) => _id) } }, { projection: { usage: 0, price: 0 } })
    .toArray();
  const logOf = new Map(logs.map((log) => [log._id, log]));
  const wallets = await walletsOf([...new Set(failed.map(({ userId }) => userId))]);
  const closed = await closedAmong([...new Set(logs.map(({ epoch }) => epoch ?? ''))]);
  const found = new Map<string, ChargedTask>();
  for (const { _id, userId, upstreamId, kind } of failed) {
    const log = logOf.get(_id);
    const wallet = wallets.get(userId);
    if (log === undefined || wallet === undefined || log.userId !== userId || !isTaken(log, wallet, closed)) continue;
    if (log.mode !== undefined && log.mode !== kind) continue;
    const { uncollected = log.uncollected } = wallet.shortfalls.find(({ id }) => id === _id) ?? {}; // a process died before it noted this on the row
    found.set(_id, { _id, userId, upstreamId, log: { ...log, uncollected } });
  }
  return found;
}

async function walletsOf(userIds: number[]): Promise<Map<number, WalletRow>> {
  const found = await rows
    .wallets()
    .find({ _id: { $in: userIds } }, { projection: { marks: 1, shortfalls: 1 } })
    .toArray();
  return new Map(found.map((wallet) => [wallet._id, wallet]));
}

async function closedAmong(epochs: string[]): Promise<Set<string>> {
  const closed = await SettlementEpoch.find({ _id: { $in: epochs }, closedAt: { $ne: null } }, { _id: 1 }).lean();
  return new Set(closed.map(({ _id }) => _id));
}

function isTaken({ epoch, partition, offset }: UsageLogRow, wallet: WalletRow, closed: ReadonlySet<string>): boolean {
  if (epoch === undefined || partition === undefined || offset === undefined || closed.has(epoch)) return true;
  return (wallet.marks[markName({ epoch, partition })] ?? '') >= offset;
}
