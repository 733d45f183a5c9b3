import { logType } from '@tollgate/contracts';
import { Order, type OrderDoc, type OrderRefund } from '@tollgate/db';
import type { Context } from '../../context.ts';
import { moneyText } from './epay.ts';

type Till = Pick<Context, 'wallet' | 'log'>;

/** What goes back to a payer: by the operator's will, or by his bank's. */
interface Refund {
  kind: 'refund' | 'dispute';
  id: string;
  cents: number;
}

/** How money that has come back stands in the ledger, and in the log. */
const backAgain = {
  refund: { entry: 'refund-failed', code: 'refund_failed' },
  dispute: { entry: 'dispute-won', code: 'dispute_won' },
} as const;

/** A balance that calls are paid from at the same time may be less once more than was seen. */
const mostTries = 8;

/**
 * Takes back what a refund, or a payer who disputes his payment, was paid for, once by its id; where the balance does not carry all of that any more, what is there.
 * The rest is the operator's loss: the order tells. What has come back by then, though nobody had told us that it went, is given again at once.
 */
export async function takeBack(till: Till, order: OrderDoc, refund: Refund): Promise<void> {
  const { tradeNo, userId } = order;
  const quota = Math.min(order.quota, Math.round((order.quota * refund.cents) / order.cents));
  const isWhole = await taken(till, order, { id: `refund:${refund.id}`, quota, refund });
  const taking = isWhole ? quota : await whatIsThere(till, order, { quota, refund });
  if (taking < quota) till.log.warn({ tradeNo, userId, quota, taken: taking }, 'the balance did not carry all of what a refund takes back');
  await note(tradeNo, refund, { taken: taking });
  await Order.updateOne({ tradeNo, 'refunds.id': refund.id }, { $max: { 'refunds.$.taken': taking } });
  await giveWhatCameBack(till, tradeNo, refund);
}

/**
 * A dispute is won, or a refund has failed: the money has come back, and what was taken for it is given again, once by its id. It may be told of before
 * that it had gone, and at the same time: whoever of both comes last finds what the other one has noted.
 */
export async function giveAgain(till: Till, { tradeNo }: OrderDoc, refund: Refund): Promise<void> {
  await note(tradeNo, refund, { taken: 0, isWon: true });
  await Order.updateOne({ tradeNo, 'refunds.id': refund.id }, { $set: { 'refunds.$.isWon': true } });
  await giveWhatCameBack(till, tradeNo, refund);
}

async function note(tradeNo: string, { id, cents }: Refund, standing: Pick<OrderRefund, 'taken' | 'isWon'>): Promise<void> {
  await Order.updateOne({ tradeNo, 'refunds.id': { $ne: id } }, { $push: { refunds: { id, cents, ...standing } } });
}

/** Gives again what was taken for a refund that has come back, and puts the order's status right. */
async function giveWhatCameBack(till: Till, tradeNo: string, refund: Refund): Promise<void> {
  const { kind, id } = refund;
  const order = await Order.findOne({ tradeNo }).lean<OrderDoc>();
  if (!order) return;
  const { taken = 0, isWon = false } = order.refunds?.find((each) => each.id === id) ?? {};
  if (isWon && taken > 0) {
    const { userId, username } = order;
    const { entry, code } = backAgain[kind];
    const log = { type: logType.topUp, username, text: { code, values: { quota: taken } }, quota: taken };
    await till.wallet.post({ id: `${entry}:${id}`, userId, amount: taken, reason: kind, log });
  }
  const status = centsBack(order) >= order.cents ? 'refunded' : 'success';
  if (order.status === status) return;
  const { matchedCount } = await Order.updateOne({ tradeNo, refunds: order.refunds ?? [] }, { $set: { status } });
  if (matchedCount === 0) await giveWhatCameBack(till, tradeNo, refund); // somebody has noted more meanwhile
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
