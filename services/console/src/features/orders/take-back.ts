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
 * Takes back what a refund was paid for, once by the refund's id; where the balance does not carry all of that any more, what is there.
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
  const { refunds = [] } = (await Order.findOne({ tradeNo }).lean<OrderDoc>()) ?? {};
  const back = refunds.reduce((sum, { cents }) => sum + cents, 0);
  if (back >= order.cents) await Order.updateOne({ tradeNo, status: 'success' }, { $set: { status: 'refunded' } });
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
