import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { LogView, ManagedOrderView, OrderView, Page, StatusView, UserView } from '@tollgate/contracts';
import { AuditLog, LedgerEntry, OptionModel, Order } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { expireOrders } from '../src/features/orders/expire.ts';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

const key = 'epay key for tests';
const gateway = { ServerAddress: 'https://tollgate.example', PayAddress: 'https://pay.example/shop/', EpayId: '1001', EpayKey: key };

/** Signs as the gateway does, told apart from our own code. */
function signed(params: Record<string, string>, secret = key): string {
  const names = Object.keys(params).sort();
  const text = names
    .filter((name) => params[name] !== '')
    .map((name) => `${name}=${params[name]}`)
    .join('&');
  const sign = createHash('md5')
    .update(text + secret)
    .digest('hex');
  return new URLSearchParams({ ...params, sign, sign_type: 'MD5' }).toString();
}

interface PayForm {
  data: Record<string, string>;
  url: string;
}

describe('Online top-up', () => {
  let tollgate: TestConsole;
  let root: Visitor;
  let user: Visitor & { username: string };

  const option = (name: string, value: string) => root.ok('PUT', '/api/option/', { key: name, value });
  const quotaOf = async (visitor: Visitor) => (await visitor.ok<UserView>('GET', '/api/user/self')).quota;
  const notify = async (query: string) => {
    const answer = await fetch(`${tollgate.origin}/api/user/epay/notify?${query}`);
    return `${answer.status} ${await answer.text()}`;
  };
  async function order(visitor: Visitor = user, amount = 10): Promise<Record<string, string>> {
    const reply = await visitor.send('POST', '/api/user/pay', { amount, payment_method: 'zfb', top_up_code: '' });
    expect(reply).to.include({ success: true, message: 'success' });
    return (reply as unknown as PayForm).data;
  }
  /** What the gateway sends once the order is paid. */
  const paid = ({ out_trade_no = '', money = '' }: Record<string, string>, change: Record<string, string> = {}) => ({
    pid: gateway.EpayId,
    trade_no: '2026112200001',
    out_trade_no,
    type: 'alipay',
    name: 'TUC10',
    money,
    trade_status: 'TRADE_SUCCESS',
    ...change,
  });
  const stored = (tradeNo: string | undefined) => Order.findOne({ tradeNo }).lean();

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    root = tollgate.root;
    for (const [name, value] of Object.entries(gateway)) await option(name, value);
  });
  after(() => tollgate.close());
  beforeEach(async () => {
    user = await tollgate.newUser();
  });

  it('costs dollars times price times the ratio of the group, in cents', async () => {
    const amount = (dollars: unknown) => user.send<string>('POST', '/api/user/amount', { amount: dollars, top_up_code: '' });
    expect(await amount(10)).to.include({ success: true, message: 'success', data: '73.00' });
    await option('TopupGroupRatio', '{"default":0.85}');
    expect((await amount(3)).data).to.equal('18.62'); // 3 x 7.3 x 0.85 = 18.615
    await option('TopupGroupRatio', '{"default":0}');
    expect((await amount(1)).data).to.equal('7.30');
    await option('TopupGroupRatio', '{"vip":2}');
    expect((await amount(1)).data).to.equal('7.30');
    await option('MinTopUp', '5');
    expect(await amount(4)).to.include({ success: false, message: 'The amount must be at least 5' });
    await option('MinTopUp', '1');
    await option('Price', '0');
    expect((await amount(1)).code).to.equal('topup_too_low');
    await option('Price', '7.3');
    for (const wrong of [0, -1, 1.5, '5', null, 1e13]) expect((await amount(wrong)).code, String(wrong)).to.equal('invalid_parameter');
  });

  it('counts in quota where the site shows no currency, to the last quota', async () => {
    await option('DisplayInCurrencyEnabled', 'false');
    try {
      expect((await user.send('POST', '/api/user/amount', { amount: 499_999 })).message).to.equal('The amount must be at least 500000');
      const form = await order(user, 750_001);
      expect(form.money).to.equal('10.95');
      expect(await notify(signed(paid(form)))).to.equal('200 success');
      expect(await quotaOf(user)).to.equal(750_001);
    } finally {
      await option('DisplayInCurrencyEnabled', 'true');
    }
  });

  it('may wait unpaid twenty times for one account; a paid or expired one makes room', async () => {
    const make = () => user.send('POST', '/api/user/pay', { amount: 10, payment_method: 'zfb' });
    const replies = await Promise.all(Array.from({ length: 50 }, make));
    const made = replies.filter(({ success }) => success).map((reply) => (reply as unknown as PayForm).data);
    expect(made).to.have.length(20);
    expect(await Order.countDocuments({ userId: user.id })).to.equal(20);
    expect(await make()).to.include({ code: 'too_many_unpaid_orders' });
    expect(await notify(signed(paid(made[0] ?? {})))).to.equal('200 success');
    await Order.updateOne({ tradeNo: made[1]?.out_trade_no }, { createdAt: new Date(Date.now() - 25 * 3_600_000) });
    for (const success of [true, true, false]) expect((await make()).success).to.equal(success);
    await order(await tollgate.newUser());
  });

  it('takes no callback without the gateway’s own number and status, such as our form posted back', async () => {
    const form = await order();
    for (const query of [
      new URLSearchParams(form).toString(),
      signed(paid(form, { trade_no: '' })),
      signed(paid(form, { trade_status: '' })),
    ])
      expect(await notify(query)).to.equal('200 fail');
    expect(await stored(form.out_trade_no)).to.deep.include({ status: 'pending', callbacks: [] });
  });

  it('is credited whatever host the gateway calls', async () => {
    await option('CustomCallbackAddress', 'https://cb.example.net');
    const form = await order();
    expect(form.notify_url).to.equal('https://cb.example.net/api/user/epay/notify');
    const { hostname, port } = new URL(tollgate.origin);
    const status = (method: string, path: string, host: string) =>
      new Promise<number | undefined>((resolve, reject) =>
        httpRequest({ hostname, port, method, path, headers: { host } }, (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end(),
      );
    for (const host of ['cb.example.net', 'old.example.org', 'tollgate:3000', 'console.tollgate.svc.cluster.local']) {
      expect(await status('GET', `/api/user/epay/notify?${signed(paid(form))}`, host), host).to.equal(200);
      for (const path of ['/api/status', '/api/status/', '/api/log/token?key=x'])
        expect(await status('GET', path, host), path).to.equal(200);
      expect(await status('POST', '/api/user/stripe/webhook', host), host).to.equal(200);
      for (const path of ['/', '/api/user/self', '/api/status/test', '/api/pricing'])
        expect(await status('GET', path, host), path).to.equal(421);
    }
    expect(await stored(form.out_trade_no)).to.include({ status: 'success' });
    await option('CustomCallbackAddress', '');
  });

  it('answers a form that the gateway can check', async () => {
    const reply = await user.send('POST', '/api/user/pay', { amount: 10, payment_method: 'wx' });
    const { data, url } = reply as unknown as PayForm;
    expect(url).to.equal('https://pay.example/shop/submit.php');
    const { sign, sign_type, out_trade_no, ...rest } = data;
    expect(rest).to.deep.equal({
      pid: '1001',
      type: 'wxpay',
      name: 'TUC10',
      money: '73.00',
      device: 'pc',
      notify_url: 'https://tollgate.example/api/user/epay/notify',
      return_url: 'https://tollgate.example/topup',
    });
    expect(sign_type).to.equal('MD5');
    expect(out_trade_no).to.match(new RegExp(`^USR${user.id}NO[0-9a-z]{8}\\d{10}$`));
    expect(new URLSearchParams(signed({ ...rest, out_trade_no: out_trade_no ?? '' })).get('sign')).to.equal(sign);
  });

  it('credits a paid order before it answers, and says so in the log', async () => {
    const form = await order();
    expect(await quotaOf(user)).to.equal(0);
    expect(await notify(signed(paid(form)))).to.equal('200 success');
    expect(await quotaOf(user)).to.equal(5_000_000);
    const { items } = await user.ok<Page<LogView>>('GET', '/api/log/self/?type=1');
    expect(items[0]).to.include({ quota: 5_000_000, content: 'Topped up 5,000,000 quota, paid 73.00 CNY', username: user.username });
    const own = await user.ok<Page<OrderView>>('GET', '/api/order/self');
    expect(own.items[0]).to.include({ trade_no: form.out_trade_no, status: 'success', money: '73.00', quota: 5_000_000, amount: 10 });
    expect(own.total).to.equal(1);
  });

  it('credits once, however often and however late the callback comes, and 50 at a time', async () => {
    const form = await order();
    await Order.updateOne({ tradeNo: form.out_trade_no }, { $set: { createdAt: new Date('2020-01-01') } });
    await option('QuotaPerUnit', '1000000'); // what was promised stays promised
    const query = signed(paid(form));
    const answers = await Promise.all(Array.from({ length: 50 }, () => notify(query)));
    expect(new Set(answers)).to.deep.equal(new Set(['200 success']));
    expect(await notify(query)).to.equal('200 success');
    await option('QuotaPerUnit', '500000');
    expect(await quotaOf(user)).to.equal(5_000_000);
    expect(await LedgerEntry.countDocuments({ userId: user.id })).to.equal(1);
    const callbacks = (await stored(form.out_trade_no))?.callbacks ?? [];
    expect(callbacks).to.have.length(20);
  });

  it('hears gateways that post their callbacks as forms, and believes them no more than others', async () => {
    const form = await order();
    const post = async (body: string, type = 'application/x-www-form-urlencoded') => {
      const headers = { 'content-type': type };
      const answer = await fetch(`${tollgate.origin}/api/user/epay/notify`, { method: 'POST', headers, body });
      return `${answer.status} ${await answer.text()}`;
    };
    const good = signed(paid(form));
    const asJson = JSON.stringify(Object.fromEntries(new URLSearchParams(good)));
    for (const [body, type] of [
      [signed(paid(form), 'another key')],
      [`${good}&money=73.00`],
      [signed(paid(form, { money: '0.01' }))],
      [''],
      [asJson, 'application/json'],
    ] as const)
      expect(await post(body, type), body).to.equal('200 fail');
    expect((await post(`x=${'y'.repeat(20_000)}`)).slice(0, 3)).to.equal('413');
    expect(await quotaOf(user)).to.equal(0);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(good)));
    expect(new Set(answers)).to.deep.equal(new Set(['200 success']));
    expect(await quotaOf(user)).to.equal(5_000_000);
    expect(await post(good, 'application/x-www-form-urlencoded; charset=utf8')).to.equal('200 success');
    expect(await LedgerEntry.countDocuments({ userId: user.id })).to.equal(1);
  });

  it('believes nothing that is not signed: altered, unsigned, signed by another, for another order', async () => {
    const [form, other] = [await order(), await order(user, 500)];
    const good = new URLSearchParams(signed(paid(form)));
    const altered = (name: string, value: string) => {
      const copy = new URLSearchParams(good);
      copy.set(name, value);
      return copy.toString();
    };
    for (const query of [
      '',
      altered('out_trade_no', other.out_trade_no ?? ''),
      altered('money', '0.01'),
      altered('sign', ''),
      altered('sign', '0'.repeat(32)),
      altered('extra', 'x'),
      signed(paid(form), ''),
      signed(paid(form), 'another key'),
      `${good}&money=73.00`,
      `${good}&out_trade_no[$ne]=x`,
    ])
      expect(await notify(query), query).to.equal('200 fail');
    expect(await quotaOf(user)).to.equal(0);
    for (const { out_trade_no } of [form, other]) expect(await stored(out_trade_no)).to.include({ status: 'pending' });
  });

  it('holds amount, currency and merchant of a signed callback against the order, and keeps what came', async () => {
    const form = await order();
    for (const [change, answer, verdict] of [
      [{ money: '0.01' }, 'fail', 'wrong_amount'],
      [{ money: '73.001' }, 'fail', 'wrong_amount'],
      [{ money: 'NaN' }, 'fail', 'wrong_amount'],
      [{ money: '-73.00' }, 'fail', 'wrong_amount'],
      [{ currency: 'JPY' }, 'fail', 'wrong_currency'],
      [{ pid: '1002' }, 'fail', 'wrong_merchant'],
      [{ trade_status: 'WAIT_BUYER_PAY' }, 'success', 'not_paid'],
    ] as const) {
      expect(await notify(signed(paid(form, change))), verdict).to.equal(`200 ${answer}`);
      const { status, callbacks } = (await stored(form.out_trade_no)) ?? {};
      expect(status).to.equal('pending');
      expect(callbacks?.at(-1)).to.include({ verdict, address: '127.0.0.1' });
      expect(JSON.parse(callbacks?.at(-1)?.content ?? '')).to.deep.equal(paid(form, change));
    }
    expect(await quotaOf(user)).to.equal(0);
    expect(await notify(signed(paid({ out_trade_no: 'USR1NOunknown', money: '73.00' })))).to.equal('200 fail');
    expect(await notify(signed(paid(form, { money: '73' })))).to.equal('200 success');
    expect(await quotaOf(user)).to.equal(5_000_000);
  });

  it('is credited once when the console died between its steps, and nobody calls again', async () => {
    const [marked, entered, credited] = [await order(), await order(), await order()];
    const died = { status: 'paid', paidAt: new Date(), isOwed: true };
    for (const { out_trade_no } of [marked, entered]) await Order.updateOne({ tradeNo: out_trade_no }, { $set: died });
    const entry = { userId: user.id, amount: 5_000_000, reason: 'order', state: 'pending' as const, at: new Date() };
    await LedgerEntry.create({ ...entry, _id: `order:${entered.out_trade_no}` });
    expect(await notify(signed(paid(credited)))).to.equal('200 success');
    await Order.updateOne({ tradeNo: credited.out_trade_no }, { $set: died });
    await tollgate.restart();
    await eventually(async () => expect(await Order.countDocuments({ isOwed: true })).to.equal(0));
    expect(await quotaOf(user)).to.equal(15_000_000);
    for (const form of [marked, entered, credited]) expect(await notify(signed(paid(form)))).to.equal('200 success');
    expect(await quotaOf(user)).to.equal(15_000_000);
  });

  it('is off while anything of the gateway is missing: an empty key signs nothing', async () => {
    const form = await order();
    for (const name of ['PayAddress', 'EpayId', 'EpayKey'] as const) {
      await option(name, '');
      expect((await user.ok<StatusView>('GET', '/api/status')).enable_online_topup, name).to.equal(false);
      expect(await user.send('POST', '/api/user/pay', { amount: 10, payment_method: 'zfb' })).to.include({ code: 'online_topup_disabled' });
      expect(await notify(signed(paid(form), name === 'EpayKey' ? '' : key)), name).to.equal('200 fail');
      await option(name, gateway[name]);
    }
    expect(await user.ok<StatusView>('GET', '/api/status')).to.include({ enable_online_topup: true });
    expect(await quotaOf(user)).to.equal(0);
    expect(JSON.stringify(await root.ok('GET', '/api/option/'))).not.to.contain(key);
    expect(JSON.stringify(await OptionModel.find().lean())).not.to.contain(key);
  });

  it('expires when nobody pays for a day, is credited when the money comes late, and is forgotten when it is old', async () => {
    const day = 86_400_000;
    const made = async (ageMs: number) => {
      const form = await order();
      await Order.updateOne({ tradeNo: form.out_trade_no }, { $set: { createdAt: new Date(Date.now() - ageMs) } });
      return form;
    };
    const [fresh, late, old, told] = [await made(day / 2), await made(1.5 * day), await made(91 * day), await made(91 * day)];
    const signal = new AbortController().signal;
    const doubted = { at: new Date(), verdict: 'wrong_amount', address: '', content: '' };
    await Order.updateOne({ tradeNo: told.out_trade_no }, { $push: { callbacks: doubted } });
    await expireOrders(Date.now(), signal);
    const statuses = await Promise.all([fresh, late, old, told].map(async (form) => (await stored(form.out_trade_no))?.status));
    expect(statuses).to.deep.equal(['pending', 'expired', undefined, 'expired']);
    expect((await AuditLog.findOne({ action: 'order.clean' }).lean())?.after).to.have.property('deleted');
    expect(await expireOrders(Date.now(), signal)).to.deep.equal({ expired: 0, deleted: 0 });

    expect(await notify(signed(paid(late)))).to.equal('200 success');
    expect((await stored(late.out_trade_no))?.status).to.equal('success');
    expect(await quotaOf(user)).to.equal(5_000_000);
  });

  it('may be paid where the payer is reached by http: the page lets the form through to him alone', async () => {
    const policy = async () => (await fetch(`${tollgate.origin}/api/status`)).headers.get('content-security-policy') ?? '';
    expect(await policy()).to.match(/form-action 'self' https:(;|$)/);
    await option('PayAddress', 'http://pay.example:8080/shop');
    expect(await policy()).to.match(/form-action 'self' https: http:\/\/pay\.example:8080(;|$)/);
    await option('PayAddress', gateway.PayAddress);
  });

  it('is completed by an administrator where the callback was lost, once, with a row in the audit log', async () => {
    const admin = await tollgate.newUser({ admin: true });
    const form = await order();
    const complete = () => admin.ok<ManagedOrderView>('POST', '/api/order/complete', { trade_no: form.out_trade_no });
    const views = await Promise.all([complete(), complete(), complete()]);
    for (const view of views) expect(view).to.include({ trade_no: form.out_trade_no, completed_by: admin.username });
    expect(await complete()).to.include({ status: 'success' });
    expect(await notify(signed(paid(form)))).to.equal('200 success');
    expect(await quotaOf(user)).to.equal(5_000_000);
    const [found] = (await admin.ok<Page<ManagedOrderView>>('GET', `/api/order?keyword=${form.out_trade_no}`)).items;
    expect(found).to.include({ status: 'success', username: user.username });
    expect(found?.callbacks.map(({ verdict }) => verdict)).to.deep.equal(['repeated']);
    expect(await AuditLog.countDocuments({ action: 'order.complete', target: `order:${form.out_trade_no}` })).to.equal(4);
    expect((await admin.send('POST', '/api/order/complete', { trade_no: 'nothing' })).code).to.equal('record_not_found');
  });

  it("shows administrators everybody's orders by user and status, and a user his own", async () => {
    const [form] = [await order()];
    const trades = async (query: string) =>
      (await root.ok<Page<OrderView>>('GET', `/api/order?${query}`)).items.map((item) => item.trade_no);
    expect(await trades(`keyword=${user.id}`)).to.deep.equal([form.out_trade_no]);
    expect(await trades(`keyword=${user.username}&status=pending`)).to.deep.equal([form.out_trade_no]);
    expect(await trades(`keyword=${user.username}&status=success`)).to.deep.equal([]);
    const stranger = await tollgate.newUser();
    expect((await stranger.ok<Page<OrderView>>('GET', '/api/order/self')).items).to.deep.equal([]);
  });
});
