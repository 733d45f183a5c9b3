import { randomInt } from 'node:crypto';
import {
  type AmountBody,
  type ListOrdersQuery,
  type ManagedOrderView,
  mostQuota,
  type OptionValues,
  type OrderView,
  type Page,
  type PayBody,
} from '@tollgate/contracts';
import { Order, type OrderDoc, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { viewsOf } from '../../http/export.ts';
import { listTimeoutMs, pageOf, rowsAndTotal, sliceOf } from '../../http/page.ts';
import { credit, markPaid } from './credit.ts';
import { epayCurrency, gatewayOf, moneyText, paymentForm } from './epay.ts';
import { payableMs } from './expire.ts';
import { centsBack } from './take-back.ts';

const letters = '0123456789abcdefghijkmnpqrstuvwxyz';
/** Unpaid orders of one account at a time. */
const mostUnpaid = 20;
const methods = { zfb: 'alipay', wx: 'wxpay' } as const;

interface Price {
  quota: number;
  cents: number;
}

/** What an amount costs this caller, and gives him. The group's top-up ratio counts; none, or 0, is 1. */
export function priceOf(
  options: OptionValues,
  { amount, price = options.Price }: AmountBody & { price?: number },
  { group }: Caller,
): Price {
  const { QuotaPerUnit: perUnit, MinTopUp, TopupGroupRatio: ratios, DisplayInCurrencyEnabled: inDollars } = options;
  const least = inDollars ? MinTopUp : Math.ceil(MinTopUp * perUnit);
  if (amount < least) throw new AppError('topup_below_minimum', { minimum: least });
  const dollars = inDollars ? amount : amount / perUnit;
  const quota = Math.round(dollars * perUnit);
  const ratio = (Object.hasOwn(ratios, group) && ratios[group]) || 1;
  // 3 * 7.3 * 0.85 is 18.614999999999998: noise is rounded away before the cent is.
  const cents = Math.round(Number((dollars * price * ratio * 100).toFixed(6)));
  if (cents < 1) throw new AppError('topup_too_low');
  if (quota > mostQuota || cents > mostQuota) throw new AppError('topup_too_high');
  return { quota, cents };
}

export function payableAmount({ options }: Context, body: AmountBody, caller: Caller): string {
  return moneyText(priceOf(options.values, body, caller).cents);
}

/** Makes an order; what it costs and gives stays so. */
export async function makeOrder(
  { options }: Context,
  body: PayBody,
  caller: Caller,
): Promise<{ data: Record<string, string>; url: string }> {
  const price = priceOf(options.values, body, caller);
  const gateway = gatewayOf(options.values);
  if (!gateway) throw new AppError('online_topup_disabled');
  const order = await newOrder(caller, { ...price, amount: body.amount, currency: epayCurrency, method: methods[body.payment_method] });
  return paymentForm(order, gateway);
}

/** An unpaid order, under a trade number of its own. Throws `too_many_unpaid_orders`; of many made at the same time the first ones stay. */
export async function newOrder(
  caller: Caller,
  wanted: Pick<OrderDoc, 'quota' | 'cents' | 'amount' | 'currency' | 'method'>,
): Promise<OrderDoc> {
  const createdAt = new Date();
  const tradeNo = `USR${caller.id}NO${randomLetters(8)}${Math.floor(createdAt.getTime() / 1000)}`;
  const order = await Order.create({ ...wanted, tradeNo, userId: caller.id, username: caller.username, status: 'pending', createdAt });
  const payable: Record<string, unknown> = {
    userId: caller.id,
    status: 'pending',
    createdAt: { $gt: new Date(createdAt.getTime() - payableMs) },
  };
  if ((await Order.countDocuments({ ...payable, _id: { $lt: order._id } })) >= mostUnpaid) {
    await Order.deleteOne({ _id: order._id, status: 'pending' });
    throw new AppError('too_many_unpaid_orders', { count: mostUnpaid });
  }
  return order.toObject();
}

export async function listOwnOrders(query: { p: number; page_size?: number | undefined }, caller: Caller): Promise<Page<OrderView>> {
  return list(query, { userId: caller.id }, orderView);
}

export async function listOrders({ keyword, status, ...page }: ListOrdersQuery): Promise<Page<ManagedOrderView>> {
  return list(page, await orderFilter({ keyword, status }), managedOrderView);
}

/** All of them, for an export. */
export async function orderRows(filters: OrderFilters): Promise<AsyncGenerator<ManagedOrderView>> {
  return all(await orderFilter(filters), managedOrderView);
}

export function ownOrderRows(caller: Caller): AsyncGenerator<OrderView> {
  return all({ userId: caller.id }, orderView);
}

function all<View>(filter: Record<string, unknown>, view: (order: OrderDoc) => View): AsyncGenerator<View> {
  return viewsOf(Order.find(filter).sort({ createdAt: -1 }).lean().cursor(), (orders) => orders.map(view));
}

type OrderFilters = Pick<ListOrdersQuery, 'keyword' | 'status'>;

async function orderFilter({ keyword, status }: OrderFilters): Promise<Record<string, unknown>> {
  return { ...(status !== '' && { status }), ...(keyword !== '' && (await found(keyword))) };
}

/** The keyword is a trade number, or whose orders they are: an id or a name. Which it is, is looked up first, so that an index finds them. */
async function found(keyword: string): Promise<Record<string, unknown>> {
  const [order, user] = await Promise.all([Order.exists({ tradeNo: keyword }), User.findOne({ username: keyword }).select('id').lean()]);
  if (order) return { tradeNo: keyword };
  const byId = /^\d{1,15}$/.test(keyword) ? [Number(keyword)] : [];
  return { userId: { $in: user ? [...byId, user.id] : byId } };
}

async function list<View>(
  query: { p: number; page_size?: number | undefined; size?: number | undefined },
  filter: Record<string, unknown>,
  view: (order: OrderDoc) => View,
): Promise<Page<View>> {
  const slice = sliceOf(query);
  const { rows, total } = await rowsAndTotal<OrderDoc>(
    slice,
    (limit) => Order.find(filter).sort({ createdAt: -1 }).skip(slice.skip).limit(limit).maxTimeMS(listTimeoutMs).lean(),
    (limits) => Order.countDocuments(filter, limits),
  );
  return pageOf(slice, rows.map(view), total);
}

/** What an administrator does who saw the money arrive, while the callback did not: the order is paid and credited, once. */
export async function completeOrder(context: Context, tradeNo: string, actor: Caller): Promise<ManagedOrderView> {
  const before = await orderRow(tradeNo);
  await markPaid(tradeNo, { completedBy: actor.username });
  await credit(context, before);
  const after = await orderRow(tradeNo);
  await audit(actor, 'order.complete', `order:${tradeNo}`, { before: { status: before.status }, after: { status: after.status } });
  return managedOrderView(after);
}

async function orderRow(tradeNo: string): Promise<OrderDoc> {
  const order = await Order.findOne({ tradeNo }).lean();
  if (!order) throw new AppError('record_not_found');
  return order;
}

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('');
}

function orderView(order: OrderDoc): OrderView {
  return {
    id: order.tradeNo,
    trade_no: order.tradeNo,
    user_id: order.userId,
    username: order.username,
    amount: order.amount,
    quota: order.quota,
    money: moneyText(order.cents),
    currency: order.currency,
    payment_method: order.method,
    status: order.status,
    refunded: moneyText(centsBack(order)),
    create_time: seconds(order.createdAt),
    paid_time: seconds(order.paidAt),
    complete_time: seconds(order.completedAt),
  };
}

function managedOrderView(order: OrderDoc): ManagedOrderView {
  const callbacks = order.callbacks.map(({ at, verdict, address, content }) => ({
    time: seconds(at),
    verdict,
    address,
    content,
  }));
  return { ...orderView(order), completed_by: order.completedBy, callbacks };
}

function seconds(date: Date | null | undefined): number {
  return date ? Math.floor(date.getTime() / 1000) : 0;
}
