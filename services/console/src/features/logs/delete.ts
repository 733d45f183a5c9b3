import { chargedIdsKeptMs, logType } from '@tollgate/contracts';
import { UsageLog } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';

const rowsAtOnce = 1000;

/** What a hidden row does without. */
const texts = { content: 1, usage: 1, price: 1, upstreamModel: 1, channelName: 1, triedChannels: 1, endReason: 1, usageSource: 1 };

type Where = Record<string, unknown>;

/**
 * Takes what is older than the moment (unix seconds) out of the log, slice by slice so that nobody else waits long; returns how many
 * rows. A call's row is what keeps it from being charged twice: as long as its event may come again it is only hidden, and the next
 * clean-up deletes it.
 */
export async function deleteLogsBefore(timestamp: number, actor: Caller, nowMs: number): Promise<number> {
  if (!(timestamp > 0)) throw new AppError('invalid_parameter', { reason: 'target_timestamp is needed' });
  const before = new Date(timestamp * 1000);
  const oldest = new Date(Math.min(before.getTime(), nowMs - chargedIdsKeptMs));
  const young = { at: { $gte: oldest, $lt: before } };
  const deleted =
    (await inSlices({ at: { $lt: oldest } }, remove)) +
    (await inSlices({ ...young, type: { $ne: logType.consume } }, remove)) +
    (await inSlices({ ...young, type: logType.consume, hidden: { $ne: true } }, hide));
  await audit(actor, 'log.delete', 'log', { after: { before: before.toISOString(), deleted } });
  return deleted;
}

/** Does something to all rows that are found, until none is found; it must take them out of sight. Returns how many. */
async function inSlices(where: Where, take: (slice: Where) => Promise<number>): Promise<number> {
  let taken = 0;
  for (;;) {
    const rows = await UsageLog.find(where).sort({ at: 1 }).limit(rowsAtOnce).select('_id').lean();
    if (rows.length === 0) return taken;
    taken += await take({ _id: { $in: rows.map(({ _id }) => _id) } });
  }
}

async function remove(slice: Where): Promise<number> {
  return (await UsageLog.deleteMany(slice)).deletedCount;
}

async function hide(slice: Where): Promise<number> {
  return (await UsageLog.updateMany(slice, { $set: { hidden: true }, $unset: texts })).modifiedCount;
}
