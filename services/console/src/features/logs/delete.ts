import { setTimeout as delay } from 'node:timers/promises';
import { chargedIdsKeptMs, logType } from '@tollgate/contracts';
import { CallFailure, UsageLog } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';

const rowsAtOnce = 1000;
/** Work in the background rests so many times as long as it works: that takes less than a tenth from whoever writes meanwhile. */
const restTimes = 9;

/** What a hidden row does without. */
const texts = { content: 1, text: 1, usage: 1, price: 1, upstreamModel: 1, channelName: 1, triedChannels: 1, endReason: 1, usageSource: 1 };
/** Calls, and what failed tasks gave back: their ids make them unique, and sums are made of them. */
const guards = { $or: [{ type: logType.consume }, { refundOf: { $gt: '' } }] };

type Where = Record<string, unknown>;

/**
 * Takes what is older than the moment (unix seconds) out of the log, slice by slice so that nobody else waits long; returns how many
 * rows. A call's row is what keeps it from being charged twice, a refund's from being given twice: as long as their events may come again they are only hidden,
 * and the next clean-up deletes them.
 */
export async function deleteLogsBefore(timestamp: number, actor: Caller, nowMs: number): Promise<number> {
  if (!(timestamp > 0)) throw new AppError('invalid_parameter', { reason: 'target_timestamp is needed' });
  const before = new Date(timestamp * 1000);
  const deleted = await clearLogs(before, nowMs);
  await audit(actor, 'log.delete', 'log', { after: { before: before.toISOString(), deleted } });
  return deleted;
}

/** The same without a word of who wants it. With a signal it is work in the background, which gives way to others. */
export async function clearLogs(before: Date, nowMs: number, background?: AbortSignal): Promise<number> {
  const oldest = new Date(Math.min(before.getTime(), nowMs - chargedIdsKeptMs));
  const young = { at: { $gte: oldest, $lt: before } };
  return (
    (await inSlices({ at: { $lt: oldest } }, { take: remove, background })) +
    (await inSlices({ ...young, type: { $ne: logType.consume }, refundOf: null }, { take: remove, background })) +
    (await inSlices({ ...young, ...guards, hidden: { $ne: true } }, { take: hide, background })) +
    (await clearFailures(before, background))
  );
}

/** Deletes failed calls before a moment; returns how many rows. No charge depends on them. */
export async function clearFailures(before: Date, background?: AbortSignal): Promise<number> {
  return inSlices({ at: { $lt: before } }, { collection: CallFailure as unknown as typeof UsageLog, take: removeFailures, background });
}

/** Does something to all rows that are found, until none is found; it must take them out of sight. Returns how many. */
async function inSlices(
  where: Where,
  {
    collection = UsageLog,
    take,
    background,
  }: { collection?: typeof UsageLog; take(slice: Where): Promise<number>; background: AbortSignal | undefined },
): Promise<number> {
  let taken = 0;
  for (;;) {
    background?.throwIfAborted();
    const began = performance.now();
    const rows = await collection.find(where).sort({ at: 1 }).limit(rowsAtOnce).select('_id').lean();
    if (rows.length === 0) return taken;
    taken += await take({ _id: { $in: rows.map(({ _id }) => _id) } });
    if (background) await delay(restTimes * (performance.now() - began), undefined, { signal: background });
  }
}

async function remove(slice: Where): Promise<number> {
  return (await UsageLog.deleteMany(slice)).deletedCount;
}

async function removeFailures(slice: Where): Promise<number> {
  return (await CallFailure.deleteMany(slice)).deletedCount;
}

async function hide(slice: Where): Promise<number> {
  return (await UsageLog.updateMany(slice, { $set: { hidden: true }, $unset: texts })).modifiedCount;
}
