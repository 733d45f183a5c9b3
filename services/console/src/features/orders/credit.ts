import { cutText, logType } from '@tollgate/contracts';
import { Order, type OrderCallback, type OrderDoc } from '@tollgate/db';
import type { Context } from '../../context.ts';
import { gatewayOf, isSigned, moneyText, paramsIn, verdictOn } from './epay.ts';

const callbacksKept = 20;
const contentKept = 500;

type Money = Pick<Context, 'wallet'>;

/**
 * What the gateway says of an order; answers what the protocol wants. `success` leaves only after the order is credited: until then the
 * gateway asks again. Every callback may come again, late, or many times at once.
 */
export async function takeCallback(
  { options, wallet, log }: Context,
  { query, address }: { query: object; address: string },
): Promise<'success' | 'fail'> {
  const gateway = gatewayOf(options.values);
  const params = paramsIn(query);
  if (!gateway || !params || !isSigned(params, gateway.key)) {
    log.warn({ address, configured: gateway !== undefined }, 'a payment callback without a good signature was refused');
    return 'fail';
  }
  // Our own form bears the same signature; only the gateway adds its number and what became of the payment.
  if (!params.trade_no || !params.trade_status) {
    log.warn({ address }, 'a payment callback without trade_no or trade_status was refused');
    return 'fail';
  }
  const order = await Order.findOne({ tradeNo: params.out_trade_no ?? '' }).lean();
  if (!order) {
    log.warn({ address, tradeNo: cutText(params.out_trade_no ?? '', 64) }, 'a payment callback for an order that does not exist');
    return 'fail';
  }
  const { sign: _, sign_type: __, ...content } = params;
  const note = { at: new Date(), address, content: cutText(JSON.stringify(content), contentKept) };
  const verdict = verdictOn(params, order, gateway);
  if (verdict !== 'paid') {
    await Order.updateOne({ tradeNo: order.tradeNo }, noted({ ...note, verdict }));
    return verdict === 'not_paid' ? 'success' : 'fail';
  }
  const isFirst = await markPaid(order.tradeNo, {}, noted({ ...note, verdict }));
  if (!isFirst) await Order.updateOne({ tradeNo: order.tradeNo }, noted({ ...note, verdict: 'repeated' }));
  await credit({ wallet }, order);
  return 'success';
}

export function noted(callback: OrderCallback): object {
  return { $push: { callbacks: { $each: [callback], $slice: -callbacksKept } } };
}

/** The one write that decides that an order is paid; false when it was before. It also notes that the quota is owed. */
export async function markPaid(tradeNo: string, fields: { completedBy?: string; paymentId?: string }, more: object = {}): Promise<boolean> {
  const { matchedCount } = await Order.updateOne(
    { tradeNo, status: { $in: ['pending', 'expired'] } },
    { $set: { ...fields, status: 'paid', paidAt: new Date(), isOwed: true }, ...more },
  );
  return matchedCount === 1;
}

/** Gives a paid order what it promises: the ledger takes it once under its trade number, however often this is done. */
export async function credit({ wallet }: Money, { tradeNo, userId, username, quota, cents, currency }: OrderDoc): Promise<void> {
  const text = { code: 'order_paid', values: { quota, money: moneyText(cents), currency } } as const;
  const log = { type: logType.topUp, username, text, quota };
  await wallet.post({ id: `order:${tradeNo}`, userId, amount: quota, reason: 'order', log });
  await Order.updateOne({ tradeNo, status: 'paid' }, { $set: { status: 'success', completedAt: new Date() }, $unset: { isOwed: 1 } });
}

/** What a process marked as paid and left uncredited because it died. */
export function owedOrders(): AsyncIterable<OrderDoc> {
  return Order.find({ isOwed: true }).lean().cursor();
}
