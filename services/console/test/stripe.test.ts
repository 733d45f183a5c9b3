import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LogView, ManagedOrderView, Page, StatusView, UserView } from '@tollgate/contracts';
import { LedgerEntry, Order } from '@tollgate/db';
import { expect } from 'chai';
import Stripe from 'stripe';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

const secretKey = 'sk_test_canary';
const webhookSecret = 'whsec_for_tests';

describe('Stripe Checkout', () => {
  let tollgate: TestConsole;
  let user: Visitor & { username: string };
  let stripe: Server;
  let answer: { status: number; body: object };
  /** What Stripe tells of payments, by their ids. */
  const payments = new Map<string, typeof answer>();
  const unknownPayment = { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing' } } };
  let asked: { path: string; authorization: string; fields: URLSearchParams }[] = [];

  before(async () => {
    stripe = createServer((req, res) => {
      let body = '';
      req.on('data', (bytes: Buffer) => {
        body += bytes.toString();
      });
      req.on('end', () => {
        const payment = /^\/v1\/payment_intents\/(\w+)$/.exec(req.url ?? '')?.[1];
        const said = payment === undefined ? answer : (payments.get(payment) ?? unknownPayment);
        asked.push({ path: req.url ?? '', authorization: req.headers.authorization ?? '', fields: new URLSearchParams(body) });
        res.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
      });
    });
    await new Promise<void>((resolve) => stripe.listen(0, '127.0.0.1', resolve));
    const { port } = stripe.address() as AddressInfo;
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', STRIPE_ADDRESS: `http://127.0.0.1:${port}` });
    await option('ServerAddress', 'https://tollgate.example');
    await option('StripePrice', '1.1');
  });
  after(async () => {
    await tollgate.close();
    stripe.close();
  });
  beforeEach(async () => {
    asked = [];
    answer = { status: 200, body: { id: 'cs_1', object: 'checkout.session', url: 'https://checkout.stripe.example/c/cs_1' } };
    user = await tollgate.newUser();
    await option('StripeSecretKey', secretKey);
    await option('StripeWebhookSecret', webhookSecret);
  });

  const option = (key: string, value: string) => tollgate.root.ok('PUT', '/api/option/', { key, value });
  const pay = (amount: unknown = 10) => user.send<{ url: string; trade_no: string }>('POST', '/api/user/stripe/pay', { amount });
  const quota = async () => (await user.ok<UserView>('GET', '/api/user/self')).quota;
  const addQuota = (add_quota: number) => tollgate.root.ok('PUT', '/api/user/', { id: user.id, add_quota });
  const stored = (tradeNo: string) => Order.findOne({ tradeNo }).lean();

  async function tell(
    type: string,
    object: object,
    { secret = webhookSecret, atMs = Date.now(), change = (text: string) => text } = {},
  ): Promise<string> {
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
    const header = new Stripe('sk_test').webhooks.generateTestHeaderString({ payload, secret, timestamp: Math.floor(atMs / 1000) });
    const reply = await fetch(`${tollgate.origin}/api/user/stripe/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': header },
      body: change(payload),
    });
    return `${reply.status} ${await reply.text()}`;
  }
  const session = (tradeNo: string, change: object = {}) => ({
    id: 'cs_1',
    object: 'checkout.session',
    client_reference_id: tradeNo,
    currency: 'usd',
    amount_total: 1100,
    payment_status: 'paid',
    payment_intent: `pi_${tradeNo}`,
    ...change,
  });
  const refund = (tradeNo: string, id: string, amount: number, change: object = {}) => ({
    id,
    object: 'refund',
    amount,
    status: 'succeeded',
    payment_intent: `pi_${tradeNo}`,
    metadata: {},
    ...change,
  });
  const knowsPayment = (tradeNo: string, metadata: object = { trade_no: tradeNo }) =>
    payments.set(`pi_${tradeNo}`, { status: 200, body: { id: `pi_${tradeNo}`, object: 'payment_intent', metadata } });

  it('is asked for a page that costs what the order says, and the payer is sent there', async () => {
    const { data } = await pay();
    expect(data.url).to.equal('https://checkout.stripe.example/c/cs_1');
    const [{ path = '', authorization = '', fields = new URLSearchParams() } = {}] = asked;
    expect([path, authorization]).to.deep.equal(['/v1/checkout/sessions', `Bearer ${secretKey}`]);
    expect(Object.fromEntries(fields)).to.include({
      mode: 'payment',
      client_reference_id: data.trade_no,
      'line_items[0][price_data][unit_amount]': '1100',
      'line_items[0][price_data][currency]': 'usd',
      success_url: 'https://tollgate.example/topup',
    });
    expect(await stored(data.trade_no)).to.include({ status: 'pending', cents: 1100, currency: 'USD', method: 'stripe', quota: 5_000_000 });
  });

  it('credits a paid order once, however often and at once it is told', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    const told = await Promise.all(Array.from({ length: 20 }, () => tell('checkout.session.completed', session(tradeNo))));
    expect(new Set(told)).to.deep.equal(new Set(['200 success']));
    expect(await quota()).to.equal(5_000_000);
    expect((await stored(tradeNo))?.status).to.equal('success');
    expect(await LedgerEntry.countDocuments({ userId: user.id })).to.equal(1);
    const [row] = (await user.ok<Page<LogView>>('GET', '/api/log/self')).items;
    expect(row?.content).to.equal('Topped up 5,000,000 quota, paid 11.00 USD');
  });

  it('believes nothing without its own signature over these bytes, made of late', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    const done = () => session(tradeNo);
    expect(await tell('checkout.session.completed', done(), { secret: 'whsec_other' })).to.equal('400 fail');
    expect(await tell('checkout.session.completed', done(), { atMs: Date.now() - 3_600_000 })).to.equal('400 fail');
    expect(await tell('checkout.session.completed', done(), { change: (text) => text.replace('1100', '1101') })).to.equal('400 fail');
    const elsewhere = { ...(await Order.findOne({ tradeNo }).select('-_id').lean()), tradeNo: `${tradeNo}e`, method: 'alipay' };
    await Order.create(elsewhere);
    for (const other of [`${tradeNo}e`, 'USR1NO1', '', { $ne: '' } as unknown as string])
      expect(await tell('checkout.session.completed', session(other)), 'an order of another payer, or of nobody').to.equal('200 success');
    expect((await stored(elsewhere.tradeNo))?.status).to.equal('pending');
    for (const change of [{ amount_total: 1 }, { currency: 'jpy' }, { payment_status: 'unpaid' }])
      expect(await tell('checkout.session.completed', session(tradeNo, change))).to.equal('200 success');
    expect(await quota()).to.equal(0);
    const [order] = (await tollgate.root.ok<Page<ManagedOrderView>>('GET', `/api/order?keyword=${tradeNo}`)).items;
    expect(order?.callbacks.map(({ verdict }) => verdict)).to.deep.equal(['wrong_amount', 'wrong_currency', 'not_paid']);
    await option('StripeWebhookSecret', '');
    expect(await tell('checkout.session.completed', done(), { secret: 'x' })).to.equal('200 fail');
    expect(await quota()).to.equal(0);
    await option('StripeWebhookSecret', webhookSecret);
    expect(await tell('checkout.session.async_payment_succeeded', done())).to.equal('200 success');
    expect(await quota()).to.equal(5_000_000);
  });

  it('takes back what is refunded, part by part, each once', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    await tell('checkout.session.completed', session(tradeNo));
    const part = refund(tradeNo, `re_1_${tradeNo}`, 550);
    expect(await tell('refund.created', { ...part, status: 'pending' })).to.equal('200 success');
    expect(await quota()).to.equal(5_000_000);
    await Promise.all(Array.from({ length: 5 }, () => tell('refund.updated', part)));
    expect(await quota()).to.equal(2_500_000);
    expect((await stored(tradeNo))?.status).to.equal('success');
    await tell('refund.created', refund(tradeNo, `re_2_${tradeNo}`, 550));
    expect(await quota()).to.equal(0);
    const [order] = (await tollgate.root.ok<Page<ManagedOrderView>>('GET', `/api/order?keyword=${tradeNo}`)).items;
    expect(order).to.include({ status: 'refunded', refunded: '11.00' });
    expect(await tell('checkout.session.completed', session(tradeNo))).to.equal('200 success');
    expect(await quota(), 'a late repetition gives nothing again').to.equal(0);
  });

  it('takes back what is still there of a refund, once, and the order tells how much that was', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    await tell('checkout.session.completed', session(tradeNo));
    await addQuota(-4_000_000);
    const whole = refund(tradeNo, `re_${tradeNo}`, 1100);
    const told = await Promise.all(Array.from({ length: 5 }, () => tell('refund.created', whole)));
    expect(new Set(told)).to.deep.equal(new Set(['200 success']));
    expect(await quota()).to.equal(0);
    await addQuota(300);
    expect(await tell('refund.updated', whole)).to.equal('200 success');
    expect(await quota(), 'what came later is not touched').to.equal(300);
    const order = await stored(tradeNo);
    expect(order?.refunds).to.deep.equal([{ id: whole.id, cents: 1100, taken: 1_000_000 }]);
    expect(order?.status).to.equal('refunded');
    const rows = (await user.ok<Page<LogView>>('GET', '/api/log/self')).items.map(({ content }) => content);
    expect(rows).to.include('Refunded 11.00 USD: 1,000,000 quota taken back');
  });

  it('takes back what a payer’s bank takes back, and gives it again when that was wrong, each once', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    await tell('checkout.session.completed', session(tradeNo));
    const dispute = { ...refund(tradeNo, `dp_${tradeNo}`, 1100), object: 'dispute', status: 'needs_response' };
    const each = async (type: string) => {
      const told = await Promise.all(Array.from({ length: 3 }, () => tell(type, dispute)));
      expect(new Set(told), type).to.deep.equal(new Set(['200 success']));
      const [order] = (await tollgate.root.ok<Page<ManagedOrderView>>('GET', `/api/order?keyword=${tradeNo}`)).items;
      return { quota: await quota(), status: order?.status, refunded: order?.refunded };
    };
    expect(await each('charge.dispute.created')).to.deep.equal({ quota: 5_000_000, status: 'success', refunded: '0.00' });
    expect(await each('charge.dispute.funds_withdrawn')).to.deep.equal({ quota: 0, status: 'refunded', refunded: '11.00' });
    expect(await each('charge.dispute.funds_reinstated')).to.deep.equal({ quota: 5_000_000, status: 'success', refunded: '0.00' });
    expect(await each('charge.dispute.funds_withdrawn')).to.deep.equal({ quota: 5_000_000, status: 'success', refunded: '0.00' });
  });

  it('gives again what was taken for a refund that failed after all, once, and takes nothing for one that never went through', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    await tell('checkout.session.completed', session(tradeNo));
    await addQuota(-2_000_000);
    const whole = refund(tradeNo, `re_${tradeNo}`, 1100);
    const other = refund(tradeNo, `re_never_${tradeNo}`, 550);
    expect(await tell('refund.created', { ...other, status: 'pending' })).to.equal('200 success');
    expect(await tell('refund.updated', { ...other, status: 'canceled' })).to.equal('200 success');
    expect(await quota()).to.equal(3_000_000);
    await tell('refund.created', whole);
    expect(await quota()).to.equal(0);
    const failed = { ...whole, status: 'failed', failure_reason: 'lost_or_stolen_card' };
    const told = await Promise.all(['refund.failed', 'refund.updated', 'refund.failed'].map((type) => tell(type, failed)));
    expect(told).to.deep.equal(['200 success', '200 success', '200 success']);
    expect(await quota(), 'as much as was taken').to.equal(3_000_000);
    expect(await tell('refund.created', whole), 'a late repetition').to.equal('200 success');
    expect(await quota()).to.equal(3_000_000);
    const [order] = (await tollgate.root.ok<Page<ManagedOrderView>>('GET', `/api/order?keyword=${tradeNo}`)).items;
    expect(order).to.include({ status: 'success', refunded: '0.00' });
    const rows = (await user.ok<Page<LogView>>('GET', '/api/log/self')).items.map(({ content }) => content);
    expect(rows.filter((content) => content === 'A refund failed: 3,000,000 quota given again')).to.have.length(1);
  });

  it('comes to the same in whichever order it is told that money went and that it came back, also at the same time', async () => {
    for (const kind of ['refund', 'dispute'] as const) {
      const { trade_no: tradeNo } = (await pay()).data;
      const before = await quota();
      await tell('checkout.session.completed', session(tradeNo));
      const went = { ...refund(tradeNo, `${kind}_${tradeNo}`, 1100), object: kind };
      const goes = () => tell(kind === 'refund' ? 'refund.created' : 'charge.dispute.funds_withdrawn', went);
      const returns = () => tell(kind === 'refund' ? 'refund.failed' : 'charge.dispute.funds_reinstated', { ...went, status: 'failed' });
      expect(await returns()).to.equal('200 success');
      expect(await quota()).to.equal(before + 5_000_000);
      await Promise.all([goes(), returns(), goes(), returns()]);
      expect(await quota(), kind).to.equal(before + 5_000_000);
      expect((await stored(tradeNo))?.status).to.equal('success');
    }
  });

  it('tells of a refund again until its payment has come, whose refund that is only the payment says', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    const early = () => tell('refund.created', refund(tradeNo, `re_0_${tradeNo}`, 1100));
    payments.set(`pi_${tradeNo}`, { status: 500, body: {} });
    expect(await early(), 'Stripe cannot be asked').to.equal('400 fail');
    knowsPayment(tradeNo);
    expect(await early(), 'not paid yet').to.equal('400 fail');
    await tell('checkout.session.completed', session(tradeNo));
    expect(await quota()).to.equal(5_000_000);
    expect(await early()).to.equal('200 success');
    expect(await quota()).to.equal(0);
  });

  it('takes back what is refunded of an order that somebody had completed by hand', async () => {
    const { trade_no: tradeNo } = (await pay()).data;
    await tollgate.root.ok('POST', '/api/order/complete', { trade_no: tradeNo });
    expect(await quota()).to.equal(5_000_000);
    knowsPayment(tradeNo);
    expect(await tell('checkout.session.completed', session(tradeNo))).to.equal('200 success');
    expect(await tell('refund.created', refund(tradeNo, `re_${tradeNo}`, 1100))).to.equal('200 success');
    expect(await quota()).to.equal(0);
  });

  it('has nothing to say of the refunds of other shops', async () => {
    knowsPayment('elsewhere', { trade_no: 'nobody’s' });
    knowsPayment('untold', {});
    for (const payment_intent of ['pi_elsewhere', 'pi_untold', 'pi_unknown', null])
      expect(await tell('refund.created', refund('', 're_other', 100, { payment_intent })), String(payment_intent)).to.equal('200 success');
  });

  it('is not offered without its secrets, and fails in words when Stripe does', async () => {
    const offered = async () => (await tollgate.anonymous.ok<StatusView>('GET', '/api/status')).enable_stripe_topup;
    expect(await offered()).to.equal(true);
    answer = { status: 402, body: { error: { type: 'card_error', message: `bad key ${secretKey}` } } };
    const failed = await pay();
    expect(failed).to.include({ success: false, code: 'payment_failed' });
    expect(failed.message).not.to.contain(secretKey);
    expect((await pay(0)).success).to.equal(false);
    await option('StripeSecretKey', '');
    expect(await offered()).to.equal(false);
    expect((await pay()).code).to.equal('online_topup_disabled');
  });
});
