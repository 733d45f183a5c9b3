import type { ManagedOrderView, OrderView } from '@tollgate/contracts';
import type { OrderDoc } from '@tollgate/db';
import { moneyText } from './epay.ts';
import { centsBack } from './take-back.ts';

export function orderView(order: OrderDoc): OrderView {
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

export function managedOrderView(order: OrderDoc): ManagedOrderView {
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
