import { createHash } from 'node:crypto';
import { role, type StatusView, type UserView } from '@tollgate/contracts';
import { Order, Redemption, rows, User } from '@tollgate/db';
import { eventually, everyRound, faultRounds, type ServiceProcess } from '@tollgate/testing';
import { expect } from 'chai';
import Stripe from 'stripe';
import { type Drawer, startTaskSite, type TaskSite } from './support/task-site.ts';

const epayKey = 'epay key for tests';
const webhookSecret = 'whsec_for_tests';

/** Somebody to whom money is on its way, once; its amount is like no other. */
interface Claim {
  what: string;
  owner: Drawer;
  amount: number;
  /** Says that it is due; the same again when nobody answered. */
  tell(console: ServiceProcess): Promise<unknown>;
  /** The write that decides that it is. */
  decides(bytes: Buffer): boolean;
  /** The ledger's name for it; a transfer is named when it is decided. */
  entry(bytes: Buffer): string | undefined;
  /** The write that ends it. */
  ends(bytes: Buffer, entry: string): boolean;
}

interface Point {
  name: string;
  is(claim: Claim, bytes: Buffer, entry: string): boolean;
  answered?: boolean;
}

/** A message of the driver holds the names of commands, collections and fields, and its numbers, as they are. */
const says = (bytes: Buffer, ...words: (string | Buffer)[]) => words.every((word) => bytes.includes(word));
const inserts = (bytes: Buffer, collection: string) => says(bytes, `insert\0`, `${collection}\0`);

const points: Point[] = [
  { name: 'before it is decided', is: (claim, bytes) => claim.decides(bytes) },
  { name: 'before the ledger hears of it', is: ({ amount }, bytes) => inserts(bytes, 'ledger_entries') && says(bytes, integer(amount)) },
  { name: 'before the wallet has it', is: ({ amount }, bytes) => says(bytes, 'findAndModify\0', 'wallets\0', integer(amount)) },
  { name: 'before the log has it', is: ({ amount }, bytes) => inserts(bytes, 'usage_logs') && says(bytes, integer(amount)) },
  { name: 'before the ledger notes it', is: (_claim, bytes, entry) => says(bytes, 'update\0', 'ledger_entries\0', entry, 'pending') },
  { name: 'before its end is noted', is: (claim, bytes, entry) => claim.ends(bytes, entry) },
  { name: 'with all done, before the answer', is: (claim, bytes, entry) => claim.ends(bytes, entry), answered: true },
];

/**
 * The console as a process, killed while orders, codes and transfers stand at each point of their way, all at once; the lines to the store
 * are silenced one by one. A second console and those who were not answered bring all to its end.
 */
describe('A console that dies with money on its way', function () {
  this.timeout(120_000 * faultRounds);
  let site: TaskSite;
  let root: Drawer;
  let lastAmount = 600_000;

  before(async () => {
    site = await startTaskSite('redis');
    root = await site.drawer(0);
    await User.updateOne({ id: root.id }, { $set: { role: role.root } });
  });
  after(() => site?.stop());

  const headersOf = ({ id, authorization }: Drawer) => ({
    authorization,
    'new-api-user': String(id),
    'content-type': 'application/json',
  });
  async function send<T = unknown>(console: ServiceProcess, who: Drawer, path: string, body?: object, method = 'POST'): Promise<T> {
    const answer = await fetch(console.url + path, {
      method: body === undefined ? 'GET' : method,
      headers: headersOf(who),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: T };
    if (!success) throw new Error(`${path}: ${message}`);
    return data;
  }

  async function orderOf(owner: Drawer, fields: { amount: number; method: string; cents: number; currency: string }): Promise<string> {
    const tradeNo = `USR${owner.id}NO${fields.amount}`;
    const { amount: quota, ...how } = fields;
    await Order.create({ ...how, tradeNo, quota, amount: 1, userId: owner.id, status: 'pending', createdAt: new Date() });
    return tradeNo;
  }
  const ordered = (tradeNo: string) => ({
    decides: (bytes: Buffer) => says(bytes, 'update\0', 'orders\0', tradeNo, 'isOwed', 'paidAt'),
    entry: () => `order:${tradeNo}`,
    ends: (bytes: Buffer) => says(bytes, 'update\0', 'orders\0', tradeNo, 'completedAt'),
  });

  async function epayOrder(owner: Drawer, amount: number): Promise<Claim> {
    const tradeNo = await orderOf(owner, { amount, method: 'zfb', cents: 7300, currency: 'CNY' });
    const params = { money: '73.00', out_trade_no: tradeNo, pid: '1001', trade_no: `epay-${tradeNo}`, trade_status: 'TRADE_SUCCESS' };
    const text = Object.entries(params).map(([name, value]) => `${name}=${value}`);
    const sign = createHash('md5')
      .update(text.join('&') + epayKey)
      .digest('hex');
    const query = new URLSearchParams({ ...params, sign, sign_type: 'MD5' }).toString();
    return {
      what: 'an epay order',
      owner,
      amount,
      ...ordered(tradeNo),
      async tell({ url }) {
        expect(await (await fetch(`${url}/api/user/epay/notify?${query}`)).text()).to.equal('success');
      },
    };
  }

  async function stripeOrder(owner: Drawer, amount: number): Promise<Claim> {
    const tradeNo = await orderOf(owner, { amount, method: 'stripe', cents: 1100, currency: 'USD' });
    const paid = {
      client_reference_id: tradeNo,
      currency: 'usd',
      amount_total: 1100,
      payment_status: 'paid',
      payment_intent: `pi_${amount}`,
    };
    const object = { id: 'cs_1', object: 'checkout.session', ...paid };
    const payload = JSON.stringify({ id: 'evt_1', object: 'event', type: 'checkout.session.completed', data: { object } });
    return {
      what: 'a Stripe order',
      owner,
      amount,
      ...ordered(tradeNo),
      async tell({ url }) {
        const signature = new Stripe('sk_test').webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
        const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
        const answer = await fetch(`${url}/api/user/stripe/webhook`, { method: 'POST', headers, body: payload });
        expect([answer.status, await answer.text()]).to.deep.equal([200, 'success']);
      },
    };
  }

  async function redemption(owner: Drawer, amount: number, console: ServiceProcess): Promise<Claim> {
    const [key = ''] = await send<string[]>(console, root, '/api/redemption/', { name: `r${amount}`, quota: amount, count: 1 });
    const { id } = (await Redemption.findOne({ name: `r${amount}` }).lean()) ?? { id: 0 };
    return {
      what: 'a redemption code',
      owner,
      amount,
      tell: (at) => send(at, owner, '/api/user/topup', { key }),
      decides: (bytes) => says(bytes, 'findAndModify\0', 'redemptions\0', 'redeemedAt', `drawer-${owner.id}\0`),
      entry: () => `redeem:${id}`,
      ends: (bytes) => says(bytes, 'update\0', 'redemptions\0', '$unset', integer(id)),
    };
  }

  async function transfer(owner: Drawer, amount: number): Promise<Claim> {
    await User.updateOne({ id: owner.id }, { $set: { affQuota: amount } });
    const decides = (bytes: Buffer) => says(bytes, 'findAndModify\0', 'users\0', 'affQuota', integer(-amount));
    return {
      what: 'a transfer of what invitations earned',
      owner,
      amount,
      decides,
      tell: (at) => send(at, owner, '/api/user/aff_transfer', { quota: amount }),
      entry: (bytes) => (decides(bytes) ? /aff:[0-9a-f-]{36}/.exec(bytes.toString('latin1'))?.[0] : undefined),
      ends: (bytes, entry) => says(bytes, 'update\0', 'users\0', '$pull', entry),
    };
  }

  async function claimsAt(console: ServiceProcess): Promise<Claim[]> {
    const claims: Claim[] = [];
    for (const make of [epayOrder, stripeOrder, redemption, transfer]) {
      lastAmount += 1;
      claims.push(await make(await site.drawer(0), lastAmount, console));
    }
    return claims;
  }

  /** Brings a claim to a point, from which it does not go on. */
  function stopAt(point: Point, claim: Claim): Promise<void> {
    let entry = claim.entry(Buffer.of());
    const isThere = (bytes: Buffer) => {
      entry ??= claim.entry(bytes);
      return point.is(claim, bytes, entry ?? 'not named yet');
    };
    return site.toStore.silenceLineAt(isThere, { answered: point.answered === true });
  }

  /** Claims of every kind, each at each of these points. */
  async function stuck(dying: ServiceProcess, at: Point[]): Promise<Claim[]> {
    const all: Claim[] = [];
    for (const point of at) {
      for (const claim of await claimsAt(dying)) {
        const stopped = stopAt(point, claim);
        const told = claim.tell(dying).then(
          () => 'answered',
          (error: Error) => (error instanceof TypeError ? 'cut' : error.message),
        );
        expect(await Promise.race([stopped, told]), `${claim.what} ${point.name}`).to.equal(undefined);
        all.push(claim);
      }
    }
    return all;
  }

  it(`${points.map(({ name }) => name).join('; ')}: all is credited once`, () =>
    everyRound(async () => {
      // The driver has 20 lines: not all points find place in one life.
      const dying = await Promise.all([0, 1].map(() => site.start('console', { proxied: true })));
      const [first, second] = dying as [ServiceProcess, ServiceProcess];
      const options = { ServerAddress: 'https://t.example', PayAddress: 'https://pay.example/', EpayId: '1001', EpayKey: epayKey };
      for (const [key, value] of Object.entries({ ...options, StripeSecretKey: 'sk_test', StripeWebhookSecret: webhookSecret })) {
        await send(first, root, '/api/option/', { key, value }, 'PUT');
      }
      const pays = async () => (await send<StatusView>(second, root, '/api/status')).enable_online_topup;
      await eventually(async () => expect(await pays()).to.equal(true), { timeoutMs: 30_000 });
      const claims = [...(await stuck(first, points.slice(0, 4))), ...(await stuck(second, points.slice(4)))];
      for (const console of dying) await console.kill9();
      site.heal();
      // As if the minute had passed for which jobs are kept for the dead.
      const jobs = await site.redis.keys('jobs:{console}:*');
      if (jobs.length > 0) await site.redis.del(...jobs);
      const successor = await site.start('console');
      await Promise.all(claims.map((claim) => claim.tell(successor).catch(() => undefined))); // they were not answered
      for (const { what, owner, amount } of claims) {
        await eventually(
          async () => {
            const { quota } = await send<UserView>(successor, owner, '/api/user/self');
            expect(quota, what).to.equal(amount);
            const entries = await rows.ledger().find({ userId: owner.id, amount }).toArray();
            expect(entries.map(({ state }) => state)).to.deep.equal(['applied']);
            expect(await rows.wallets().findOne({ _id: owner.id })).to.include({ balance: amount });
            expect(await rows.usageLogs().countDocuments({ userId: owner.id })).to.equal(1);
            expect((await User.findOne({ id: owner.id }).lean())?.owed ?? []).to.deep.equal([]);
          },
          { timeoutMs: 60_000, everyMs: 100 },
        );
      }
      const owed = async () => [await Order.countDocuments({ isOwed: true }), await Redemption.countDocuments({ isOwed: true })];
      await eventually(async () => expect(await owed()).to.deep.equal([0, 0]), { timeoutMs: 60_000 });
      await successor.kill9();
    }));
});

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
