import { Order } from '@tollgate/db';
import { audit } from '../../audit/audit.ts';
import { byRule } from '../../auth/caller.ts';

const hourMs = 3_600_000;
/** So long somebody may take to pay; payment pages of Stripe last as long. */
export const payableMs = 24 * hourMs;
/** So long an order that nobody paid is kept: then no payer tells of it any more. */
export const unpaidKeptMs = 90 * 24 * hourMs;
const atOnce = 500;

type Filter = Record<string, unknown>;

/**
 * Orders that nobody has paid expire, and are deleted when they are old; one whose payer has ever said something of it stays, with what he said. Money that comes late is
 * credited all the same. Returns how many there were of each.
 */
export async function expireOrders(nowMs: number, signal: AbortSignal): Promise<{ expired: number; deleted: number }> {
  const late: Filter = { status: 'pending', createdAt: { $lt: new Date(nowMs - payableMs) } };
  const old: Filter = { status: 'expired', createdAt: { $lt: new Date(nowMs - unpaidKeptMs) }, 'callbacks.0': { $exists: false } };
  const expired = await inSlices(late, signal, async (tradeNo) => {
    const { modifiedCount } = await Order.updateMany({ ...late, tradeNo }, { $set: { status: 'expired' } });
    return modifiedCount;
  });
  const deleted = await inSlices(old, signal, async (tradeNo) => (await Order.deleteMany({ ...old, tradeNo })).deletedCount);
  if (deleted > 0)
    await audit(byRule, 'order.clean', 'order', { after: { before: new Date(nowMs - unpaidKeptMs).toISOString(), deleted } });
  return { expired, deleted };
}

async function inSlices(where: Filter, signal: AbortSignal, take: (tradeNo: { $in: string[] }) => Promise<number>): Promise<number> {
  let taken = 0;
  for (;;) {
    signal.throwIfAborted();
    const orders = await Order.find(where).sort({ createdAt: 1 }).limit(atOnce).select('tradeNo').lean();
    if (orders.length === 0) return taken;
    taken += await take({ $in: orders.map(({ tradeNo }) => tradeNo) });
  }
}
