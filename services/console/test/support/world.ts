import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Route, type RouteName, routes } from '@tollgate/contracts';
import { Channel, Order, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { queueName, queuePrefix } from '../../src/jobs/board.ts';
import { type Reply, startConsole, type TestConsole, type Visitor } from './console.ts';
import { forgetLimits } from './limits.ts';

/** The world that the examples of the contracts speak of (see `example` of `Route`). */
export interface World {
  tollgate: TestConsole;
  /** Puts every row back to what it was in the beginning. */
  restore(): Promise<void>;
  /** Calls a route by its example: as root where a rank is needed, else as user 2, who owns token 1. */
  ask(name: RouteName, change?: Partial<Sent>): Promise<Reply>;
  /** Every row of every collection, to see whether anything changed. */
  rows(): Promise<Record<string, unknown[]>>;
  close(): Promise<void>;
}

export interface Sent {
  params: Record<string, unknown>;
  /** As text, or as fields. */
  query: string | Record<string, unknown>;
  body: unknown;
}

/** Stands in examples for an upstream that answers. */
const upstreamInExamples = 'https://upstream.example';
/** Stands in examples for the code of redemption 1. */
const codeInExamples = 'code-of-redemption-1';
const password = 'ada-for-tests';

export async function startWorld(): Promise<World> {
  const upstream = await startUpstream();
  const tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' });
  const username = `a${randomBytes(5).toString('hex')}`;
  await tollgate.root.ok('POST', '/api/user/', { username, password });
  const ada = await tollgate.signIn(username, password);
  await ada.ok('POST', '/api/token/', { name: 'first', remain_quota: 1000 });
  await ada.ok('POST', '/api/budget/', { name: 'Monthly', subject: 'user', amount: 1000, window: 'month' });
  const channel = { type: 1, key: 'sk-x', base_url: upstream.url, models: 'gpt-4o', tag: 'main' };
  for (const name of ['main', 'spare']) await tollgate.root.ok('POST', '/api/channel/', { ...channel, name });
  await tollgate.root.ok('PUT', '/api/channel/', { id: 2, status: 2 });
  const [code = ''] = await tollgate.root.ok<string[]>('POST', '/api/redemption/', { name: 'spring', quota: 500_000, count: 1 });
  const redis = new Redis(tollgate.redisUrl);
  const queue = new Queue(queueName, { connection: redis, prefix: queuePrefix });
  for (const [key, value] of Object.entries({ ServerAddress: 'http://127.0.0.1', PayAddress: upstream.url, EpayId: '1', EpayKey: 'k' }))
    await tollgate.root.ok('PUT', '/api/option/', { key, value });
  const order = {
    userId: 2,
    username,
    amount: 10,
    quota: 5_000_000,
    cents: 7300,
    currency: 'CNY',
    method: 'alipay',
    status: 'pending' as const,
  };
  await Order.create({ ...order, tradeNo: 'USR2NO1', createdAt: new Date() });
  const beginning = await rows();

  async function rows(): Promise<Record<string, unknown[]>> {
    // Prices are noted by a job of its own.
    const collections = ((await User.db.db?.collections()) ?? []).filter(({ collectionName: name }) => name !== 'price_history');
    const entries = collections.map(async (each) => [each.collectionName, await each.find({}).sort({ _id: 1 }).toArray()] as const);
    return Object.fromEntries(await Promise.all(entries));
  }

  /** A job that has failed, under the id of the examples. */
  async function failJob(): Promise<void> {
    await eventually(async () => expect(await queue.getActiveCount()).to.equal(0));
    if (!(await queue.getJob('failed-one'))) await queue.add('probe-all', { for: 'nobody' }, { jobId: 'failed-one' });
    await eventually(async () => expect(await queue.getJobState('failed-one')).to.equal('failed'));
  }

  async function restore(): Promise<void> {
    await failJob();
    await forgetLimits(tollgate, 'critical');
    for (const model of [User, Channel, ...Object.values(User.db.models)]) {
      const name = model.collection.collectionName;
      if (name === 'counters') continue; // whoever was given a number keeps it
      await model.collection.deleteMany({});
      const stood = beginning[name] ?? [];
      if (stood.length > 0) await model.collection.insertMany(stood as never[]);
    }
    await signInBoth(); // a route may have ended their sessions
  }

  const visitors = { ada, root: tollgate.root };
  /** Before the rows are looked at: a sign-in leaves one. */
  async function signInBoth(): Promise<void> {
    const [again, root] = await Promise.all([tollgate.signIn(username, password), tollgate.signIn('root', 'root for tests')]);
    Object.assign(visitors, { ada: again, root });
  }

  function visitorFor({ access }: Route): Visitor {
    if (access === 'anyone' || access === 'visitor') return tollgate.anonymous;
    return access === 'user' || access === 'session' ? visitors.ada : visitors.root;
  }

  return {
    tollgate,
    restore,
    rows,
    async ask(name, change = {}) {
      const route: Route = routes[name];
      const text = JSON.stringify(route.example ?? {})
        .replaceAll(upstreamInExamples, upstream.url)
        .replaceAll(codeInExamples, code);
      const example = JSON.parse(text) as Partial<Sent>;
      const { params = {}, query = {}, body } = { ...example, ...change };
      const [method = '', path = ''] = name.split(' ');
      const asked = typeof query === 'string' ? query : new URLSearchParams(query as Record<string, string>).toString();
      const url = path.replace(/:(\w+)/g, (_part, key: string) => encodeURIComponent(String(params[key])));
      return visitorFor(route).send(method, asked === '' ? url : `${url}?${asked}`, body);
    },
    async close() {
      await queue.close();
      redis.disconnect();
      await tollgate.close();
      upstream.close();
    },
  };
}

/** An OpenAI that always answers. */
async function startUpstream(): Promise<{ url: string; close(): void }> {
  const answers: [path: string, body: object][] = [
    ['/v1/models', { data: [{ id: 'gpt-4o' }] }],
    ['/billing/subscription', { hard_limit_usd: 20, has_payment_method: true }],
    ['/billing/usage', { total_usage: 250 }],
    ['', { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] }],
  ];
  const server = createServer((request, response) => {
    request.resume();
    const [, body] = answers.find(([path]) => request.url?.includes(path)) ?? [];
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
