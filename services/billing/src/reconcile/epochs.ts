import { rows, SettlementEpoch, type SettlementEpochDoc } from '@tollgate/db';
import type { Wallet } from '@tollgate/wallet';
import { type Charge, groupBy, markName, markOf } from '../settlement/charge.ts';
import { channelUsageId } from '../settlement/roll-ups.ts';
import { charge } from '../settlement/settle.ts';

/** Longer than any consumer works on a batch: afterwards no process writes rows of that epoch. */
const goneAfterMs = 15 * 60_000;
/** The maximum age of a call that was logged when its topic was deleted. */
const longestWaitMs = 24 * 3_600_000;
/** Longer than a bus retains events: an operator who returns to a former bus within this time finds its marks. */
const marksKeptMs = 30 * 24 * 3_600_000;
const pageSize = 1_000;

/**
 * A recreated topic begins a new epoch. Calls of the old one that are logged but not charged everywhere are not delivered again, so they
 * are charged from the log, under the marks of their epoch. Returns their number.
 */
export async function closeGoneEpochs({
  wallet,
  nowMs = Date.now(),
}: {
  wallet: Pick<Wallet, 'open' | 'settle'>;
  nowMs?: number;
}): Promise<number> {
  const epochs = await SettlementEpoch.find({}).sort({ lastSeenAt: -1 }).lean();
  const topicOf = ({ topic }: SettlementEpochDoc) => topic ?? 'usage.recorded';
  const currentOf = new Map(epochs.toReversed().map((epoch) => [topicOf(epoch), epoch]));
  let charged = 0;
  for (const epoch of epochs) {
    const current = currentOf.get(topicOf(epoch));
    const isGone =
      current !== undefined &&
      epoch._id !== current._id &&
      epoch.lastSeenAt < current.lastSeenAt &&
      nowMs - epoch.lastSeenAt.getTime() > goneAfterMs;
    if (epoch.closedAt || !isGone) continue;
    charged += await chargeFromLog(epoch, wallet);
    await SettlementEpoch.updateOne({ _id: epoch._id }, { $set: { closedAt: new Date(nowMs) } });
  }
  return charged;
}

async function chargeFromLog(epoch: SettlementEpochDoc, wallet: Pick<Wallet, 'open' | 'settle'>): Promise<number> {
  const since = new Date(epoch.lastSeenAt.getTime() - longestWaitMs);
  const uncounted: Charge[] = [];
  let page: Charge[] = [];
  for await (const row of rows.usageLogs().find({ at: { $gte: since }, epoch: epoch._id }, { projection: { usage: 0, price: 0 } })) {
    page.push(row as Charge);
    if (page.length < pageSize) continue;
    uncounted.push(...(await notCounted(page)));
    page = [];
  }
  uncounted.push(...(await notCounted(page)));
  uncounted.sort((a, b) => (a.offset < b.offset ? -1 : 1));
  for (const [mark, charges] of groupBy(uncounted, markOf)) await charge(mark, charges, { wallet });
  return uncounted.length;
}

async function notCounted(page: Charge[]): Promise<Charge[]> {
  const ids = [...new Set(page.map(channelUsageId))];
  const channels = await rows
    .channelUsage()
    .find({ _id: { $in: ids } }, { projection: { marks: 1 } })
    .toArray();
  const marks = new Map(channels.map((row) => [row._id, row.marks]));
  return page.filter((row) => row.offset > (marks.get(channelUsageId(row))?.[markOf(row)] ?? ''));
}

/** Deletes the marks of epochs that were closed long ago. */
export async function forgetClosedEpochs(nowMs = Date.now()): Promise<void> {
  const closed = await SettlementEpoch.find({ closedAt: { $lt: new Date(nowMs - marksKeptMs) }, forgottenAt: null }).lean();
  if (closed.length === 0) return;
  const channels = await rows
    .channelUsage()
    .find({}, { projection: { marks: 1 } })
    .toArray();
  const marks = new Set(channels.flatMap((row) => Object.keys(row.marks)));
  for (const { _id } of closed) {
    for (const mark of marks) if (isMarkOf(_id, mark)) await forget(`marks.${mark}`);
    await SettlementEpoch.updateOne({ _id }, { $set: { forgottenAt: new Date(nowMs) } });
  }
}

async function forget(path: string): Promise<void> {
  const marked = [rows.wallets, rows.tokenWallets, rows.usageHourly, rows.usageByModel, rows.usageByPart, rows.channelUsage];
  for (const collection of marked.map((each) => each() as ReturnType<typeof rows.wallets>))
    await collection.updateMany({ [path]: { $exists: true } }, { $unset: { [path]: '' as const } });
}

function isMarkOf(epoch: string, mark: string): boolean {
  const prefix = markName({ epoch, partition: 0 }).slice(0, -1);
  return mark.startsWith(prefix) && /^\d+$/.test(mark.slice(prefix.length));
}
