import { logType } from '@tollgate/contracts';
import { Order, type OrderDoc } from '@tollgate/db';
import type { Context } from '../../context.ts';
import { moneyText } from './epay.ts';

type Till = Pick<Context, 'wallet' | 'log'>;

interface Refund {
  id: string;
  cents: number;
}

/** A balance that calls are paid from at the same time may be less once more than was seen. */
const mostTries = 8;

/**
 * Takes back what a refund, or a payer who disputes his payment, was paid for, once by its id; where the balance does not carry all of that any more, what is there.
 * The rest is the operator's loss: the order tells.
 */
export async function takeBack(till: Till, order: OrderDoc, refund: Refund): Promise<void> {
  const { tradeNo, userId } = order;
  const quota = Math.min(order.quota, Math.round((order.quota * refund.cents) / order.cents));
  const isWhole = await taken(till, order, { id: `refund:${refund.id}`, quota, refund });
  const taking = isWhole ? quota : await whatIsThere(till, order, { quota, refund });
  if (taking < quota) till.log.warn({ tradeNo, userId, quota, taken: taking }, 'the balance did not carry all of what a refund takes back');
  const isNew = { tradeNo, 'refunds.id': { $ne: refund.id } };
  await Order.updateOne(isNew, { $push: { refunds: { ...refund, taken: taking } } });
  const now = await Order.findOne({ tradeNo }).lean<OrderDoc>();
  if (now && centsBack(now) >= order.cents) await Order.updateOne({ tradeNo, status: 'success' }, { $set: { status: 'refunded' } });
}

/** A dispute is won: what was taken back for it is given again, once by its id. */
export async function giveAgain({ wallet }: Till, order: OrderDoc, id: string): Promise<void> {
  const { tradeNo, userId, username } = order;
  const lost = order.refunds?.find((refund) => refund.id === id);
  if (!lost) return;
  if (lost.taken > 0) {
    const text = { code: 'dispute_won', values: { quota: lost.taken } } as const;
    const log = { type: logType.topUp, username, text, quota: lost.taken };
    await wallet.post({ id: `dispute-won:${id}`, userId, amount: lost.taken, reason: 'dispute', log });
  }
  await Order.updateOne({ tradeNo, 'refunds.id': id }, { $set: { 'refunds.$.isWon': true } });
  const now = await Order.findOne({ tradeNo }).lean<OrderDoc>();
  if (now && centsBack(now) < order.cents) await Order.updateOne({ tradeNo, status: 'refunded' }, { $set: { status: 'success' } });
}

/** What the payer has got back, in hundredths. */
export function centsBack({ refunds = [] }: Pick<OrderDoc, 'refunds'>): number {
  return refunds.reduce((sum, { cents, isWon }) => (isWon ? sum : sum + cents), 0);
}

/** How much is asked for stands on the order before it is: whoever comes again, or at the same time, asks for the same. */
async function whatIsThere(till: Till, order: OrderDoc, { quota, refund }: { quota: number; refund: Refund }): Promise<number> {
  const { tradeNo, userId } = order;
  for (let attempt = 1; attempt <= mostTries; attempt += 1) {
    const id = `refund:${refund.id}:${attempt}`;
    const { balance } = await till.wallet.balance(userId);
    const part = { id, quota: Math.max(0, Math.min(quota, balance)) };
    await Order.updateOne({ tradeNo, 'refundParts.id': { $ne: id } }, { $push: { refundParts: part } });
    const decided = (await Order.findOne({ tradeNo }).lean<OrderDoc>())?.refundParts?.find((each) => each.id === id) ?? part;
    if (decided.quota === 0) return 0;
    if (await taken(till, order, { ...decided, refund })) return decided.quota;
  }
  return 0;
}

async function taken(
  { wallet }: Till,
  order: OrderDoc,
  { id, quota, refund }: { id: string; quota: number; refund: Refund },
): Promise<boolean> {
  const { userId, username, currency } = order;
  const text = { code: 'order_refunded', values: { quota, money: moneyText(refund.cents), currency } } as const;
  const log = { type: logType.topUp, username, text, quota: -quota };
  const { state } = await wallet.post({ id, userId, amount: -quota, reason: 'refund', log });
  return state === 'applied';
}
