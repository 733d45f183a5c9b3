import { type AmountBody, type CallbackVerdict, cutText, type OptionValues } from '@tollgate/contracts';
import { Order, type OrderDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type Stripe from 'stripe';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { credit, markPaid, noted } from './credit.ts';
import { newOrder, priceOf } from './service.ts';
import { giveAgain, takeBack } from './take-back.ts';

const currency = 'usd';
const timeoutMs = 20_000;
const contentKept = 500;

type StripeContext = Pick<Context, 'options' | 'wallet' | 'log' | 'stripeAddress'>;

/** Two hundred files, which only who takes payments by Stripe has to load. */
async function client(...options: ConstructorParameters<typeof Stripe>): Promise<Stripe> {
  const { default: Client } = await import('stripe');
  return new Client(...options);
}

function clientOf({ secretKey }: StripeAccount, address: string): Promise<Stripe> {
  const { protocol, hostname, port } = new URL(address);
  return client(secretKey, {
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    port: port || (protocol === 'http:' ? 80 : 443),
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  });
}

/** Makes an order and the page of Stripe on which it is paid; what it costs and gives stays so. */
export async function payByStripe(context: StripeContext, body: AmountBody, caller: Caller): Promise<{ url: string; trade_no: string }> {
  const options = context.options.values;
  const account = stripeAccountOf(options);
  if (!account) throw new AppError('online_topup_disabled');
  const price = priceOf(options, { amount: body.amount, price: options.StripePrice }, caller);
  const order = await newOrder(caller, { ...price, amount: body.amount, currency: currency.toUpperCase(), method: 'stripe' });
  const { tradeNo } = order;
  const stripe = await clientOf(account, context.stripeAddress);
  const session = await stripe.checkout.sessions
    .create(
      {
        mode: 'payment',
        line_items: [{ quantity: 1, price_data: { currency, unit_amount: order.cents, product_data: { name: `TUC${order.amount}` } } }],
        client_reference_id: tradeNo,
        metadata: { trade_no: tradeNo },
        payment_intent_data: { metadata: { trade_no: tradeNo } },
        success_url: `${account.returnTo}/topup`,
        cancel_url: `${account.returnTo}/topup`,
      },
      { idempotencyKey: tradeNo },
    )
    .catch((cause: unknown) => {
      context.log.warn({ tradeNo, err: cause }, 'Stripe made no checkout session');
      throw new AppError('payment_failed', {}, { cause });
    });
  if (!session.url) throw new AppError('payment_failed');
  return { url: session.url, trade_no: tradeNo };
}

/** What Stripe is answered: with a 400 it tells again, for days. */
interface StripeAnswer {
  status: 200 | 400;
  word: 'success' | 'fail';
}

/**
 * What Stripe says of a payment. Only what bears its signature over these very bytes, made within
 * the last minutes, counts. It may come again, late, or many times at once.
 */
export async function takeStripeEvent(
  context: StripeContext,
  { bytes, signature, address }: { bytes: Buffer | undefined; signature: string; address: string },
): Promise<StripeAnswer> {
  const account = stripeAccountOf(context.options.values);
  const event = account && bytes && (await readEvent(account, { bytes, signature }));
  if (!event) {
    context.log.warn({ address, configured: account !== undefined }, 'a Stripe event without a good signature was refused');
    return { status: account ? 400 : 200, word: 'fail' }; // without an account nobody has anything to tell
  }
  return (await take(context, account, event, address)) ? { status: 200, word: 'success' } : { status: 400, word: 'fail' };
}

/** What a refund's status says. One that has succeeded may fail after all, days later: the payer's bank sends it back. */
const refundTold: Partial<Record<string, typeof takeBack>> = { succeeded: takeBack, failed: giveAgain, canceled: giveAgain };

/** True when it need not be told again. */
async function take(context: StripeContext, account: StripeAccount, event: Stripe.Event, address: string): Promise<boolean> {
  const tell = (told: typeof takeBack, { object: kind, id, payment_intent, amount: cents }: Stripe.Refund | Stripe.Dispute) =>
    withOrder(context, account, payment_intent, (order) => told(context, order, { kind, id, cents }));
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return takePayment(context, event.data.object, { event, address });
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed': {
      const told = refundTold[event.data.object.status ?? ''];
      return told === undefined || tell(told, event.data.object);
    }
    case 'charge.dispute.funds_withdrawn':
      return tell(takeBack, event.data.object);
    case 'charge.dispute.funds_reinstated':
      return tell(giveAgain, event.data.object);
    default:
      return true;
  }
}

async function readEvent({ secretKey, webhookSecret }: StripeAccount, { bytes, signature }: { bytes: Buffer; signature: string }) {
  try {
    return (await client(secretKey)).webhooks.constructEvent(bytes, signature, webhookSecret);
  } catch {
    return undefined;
  }
}

async function takePayment(
  context: StripeContext,
  session: Stripe.Checkout.Session,
  { event, address }: { event: Stripe.Event; address: string },
): Promise<boolean> {
  const order = await orderNamed(session.client_reference_id);
  if (!order) return true; // of another shop on the same account
  const content = cutText(JSON.stringify({ id: event.id, session: session.id, status: session.payment_status }), contentKept);
  const verdict = verdictOn(session, order);
  const note = (said: CallbackVerdict) => noted({ at: new Date(), address, content, verdict: said });
  if (verdict !== 'paid') {
    await Order.updateOne({ tradeNo: order.tradeNo }, note(verdict));
    return true;
  }
  const isFirst = await markPaid(order.tradeNo, { paymentId: idOf(session.payment_intent) }, note('paid'));
  if (!isFirst) await Order.updateOne({ tradeNo: order.tradeNo }, note('repeated'));
  await credit(context, order);
  return true;
}

function verdictOn(session: Stripe.Checkout.Session, order: OrderDoc): CallbackVerdict {
  if (session.currency?.toUpperCase() !== order.currency) return 'wrong_currency';
  if (session.amount_total !== order.cents) return 'wrong_amount';
  return session.payment_status === 'paid' ? 'paid' : 'not_paid';
}

/** What is told before its payment is told again by Stripe. */
async function withOrder(
  context: StripeContext,
  account: StripeAccount,
  payment: string | { id: string } | null,
  work: (order: OrderDoc) => Promise<void>,
): Promise<boolean> {
  const paymentId = idOf(payment);
  const order = (await orderPaidBy(paymentId)) ?? (await orderToBePaidBy(context, account, paymentId));
  if (!order) return order === null;
  if (order.status === 'pending' || order.status === 'expired') return false;
  await credit(context, order);
  await work(order);
  return true;
}

async function orderPaidBy(paymentId: string): Promise<OrderDoc | null> {
  return paymentId === '' ? null : Order.findOne({ paymentId }).lean();
}

/**
 * A refund or a dispute does not say what was paid, its payment does: whose order it is, where we have not been told of the payment, or somebody had
 * completed the order by hand before. Undefined: Stripe does not answer.
 */
async function orderToBePaidBy(context: StripeContext, account: StripeAccount, paymentId: string): Promise<OrderDoc | null | undefined> {
  if (paymentId === '') return null;
  try {
    const { metadata } = await (await clientOf(account, context.stripeAddress)).paymentIntents.retrieve(paymentId);
    return await orderNamed(metadata.trade_no ?? null);
  } catch (cause) {
    const { type, code } = cause as { type?: string; code?: string };
    if (type === 'StripeInvalidRequestError' && code === 'resource_missing') return null;
    context.log.warn({ paymentId, err: cause }, 'Stripe does not say what a payment was for');
    return undefined;
  }
}

async function orderNamed(tradeNo: string | null): Promise<OrderDoc | null> {
  return tradeNo === null ? null : Order.findOne({ tradeNo, method: 'stripe' }).lean();
}

function idOf(given: string | { id: string } | null): string {
  return typeof given === 'string' ? given : (given?.id ?? '');
}

interface StripeAccount {
  secretKey: string;
  webhookSecret: string;
  /** Where the payer comes back to. */
  returnTo: string;
}

/** The account that the options name; none while one of them is missing. With an empty secret anybody could sign. */
export function stripeAccountOf(
  options: Pick<OptionValues, 'StripeSecretKey' | 'StripeWebhookSecret' | 'ServerAddress'>,
): StripeAccount | undefined {
  const { StripeSecretKey: secretKey, StripeWebhookSecret: webhookSecret, ServerAddress: returnTo } = options;
  return secretKey === '' || webhookSecret === '' || returnTo === '' ? undefined : { secretKey, webhookSecret, returnTo };
}
