import { z } from 'zod';
import { pageQuery, pageView, queryText } from './common.ts';
import { route } from './route.ts';

/**
 * `pending`: nobody has paid yet; `paid`: the gateway says so; `success`: and the quota is given; `refunded`: all of the money went back;
 * `expired`: nobody paid for a day, though whoever does is credited still.
 */
export const orderStatuses = ['pending', 'paid', 'success', 'refunded', 'expired'] as const;

/** Dollars where the site shows currency, else quota. What `top_up_code` once was nobody uses any more. */
export const amountBody = z.object({ amount: z.int().min(1).max(1e12) });
export type AmountBody = z.infer<typeof amountBody>;

/** `zfb` is Alipay, `wx` WeChat Pay. */
export const payBody = amountBody.extend({ payment_method: z.enum(['zfb', 'wx']) });
export type PayBody = z.infer<typeof payBody>;

/** What a browser posts to the gateway, and where. */
const paymentForm = z.object({ data: z.record(z.string(), z.string()), url: z.string() });

export const orderView = z.object({
  /** Its trade number. */
  id: z.string(),
  trade_no: z.string(),
  user_id: z.number(),
  username: z.string(),
  /** As it was asked for: dollars or quota. */
  amount: z.number(),
  /** What it gives. */
  quota: z.number(),
  /** Two decimals. */
  money: z.string(),
  currency: z.string(),
  payment_method: z.string(),
  status: z.enum(orderStatuses),
  /** What went back of the money, two decimals. */
  refunded: z.string(),
  create_time: z.number(),
  /** 0: not yet. */
  paid_time: z.number(),
  complete_time: z.number(),
});
export type OrderView = z.infer<typeof orderView>;

/** What a callback of the gateway came to. */
export const callbackVerdicts = ['paid', 'repeated', 'not_paid', 'wrong_merchant', 'wrong_amount', 'wrong_currency'] as const;
export type CallbackVerdict = (typeof callbackVerdicts)[number];

/** An order as administrators see it: with who completed it by hand, and the last callbacks of the gateway. */
export const managedOrderView = orderView.extend({
  completed_by: z.string(),
  callbacks: z.array(z.object({ time: z.number(), verdict: z.enum(callbackVerdicts), address: z.string(), content: z.string() })),
});
export type ManagedOrderView = z.infer<typeof managedOrderView>;

/** `keyword`: a trade number, a user's id or name. */
export const listOrdersQuery = pageQuery.extend({ keyword: queryText, status: z.enum(['', ...orderStatuses]).catch('') });
export type ListOrdersQuery = z.infer<typeof listOrdersQuery>;

const completeOrderBody = z.object({ trade_no: z.string().min(1).max(64) });

export const orderRoutes = {
  'POST /api/user/amount': route({
    summary: 'What an amount costs, with two decimals',
    access: 'user',
    body: amountBody,
    answer: z.string(),
    example: { body: { amount: 10 } },
  }),
  'POST /api/user/pay': route({
    summary: 'Makes an order; answers the form that the browser posts to the payment gateway',
    access: 'user',
    body: payBody,
    beside: paymentForm,
    example: { body: { amount: 10, payment_method: 'zfb' } },
  }),
  'POST /api/user/stripe/pay': route({
    summary: 'Makes an order and a Stripe Checkout session; answers where the payer has to go',
    access: 'user',
    body: amountBody,
    answer: z.object({ url: z.string(), trade_no: z.string() }),
    needs: 'a Stripe account',
    example: { body: { amount: 10 } },
  }),
  'POST /api/user/stripe/webhook': route({
    summary: "Stripe's webhook, signed over the bytes of its body",
    access: 'anyone',
    csrfExempt: true,
    anyHost: true,
    raw: 'text/plain',
  }),
  'GET /api/user/epay/notify': route({
    summary: 'The callback of the payment gateway; answers success or fail',
    access: 'anyone',
    csrfExempt: true,
    anyHost: true,
    raw: 'text/plain',
  }),
  'POST /api/user/epay/notify': route({
    summary: 'The same of gateways that post it as a form',
    access: 'anyone',
    csrfExempt: true,
    anyHost: true,
    raw: 'text/plain',
  }),
  'GET /api/order/self': route({
    summary: 'The own orders, the newest first',
    access: 'user',
    query: pageQuery,
    answer: pageView(orderView),
  }),
  'GET /api/order': route({
    summary: 'The orders of all users with what the gateway said, the newest first',
    access: 'admin',
    query: listOrdersQuery,
    answer: pageView(managedOrderView),
    example: { query: { status: 'pending' } },
  }),
  'POST /api/order/complete': route({
    summary: 'Gives an order what it was paid for, once, where the callback was lost',
    access: 'admin',
    body: completeOrderBody,
    answer: managedOrderView,
    example: { body: { trade_no: 'USR2NO1' } },
  }),
};
