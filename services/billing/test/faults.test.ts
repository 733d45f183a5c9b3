import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, disconnectDatabase } from '@tollgate/db';
import {
  type BundledMongo,
  eventually,
  faultRounds,
  freePort,
  orSkip,
  type RedisServer,
  type ServiceProcess,
  sharedKafka,
  skipBecause,
  startBundledMongo,
  startRedis,
} from '@tollgate/testing';
import { openWallet, type Wallet } from '@tollgate/wallet';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type AnsweredCalls, answeredCalls } from './answered-calls.ts';
import { startBilling } from './billing-process.ts';

const onKafka = process.env.TEST_BUS === 'kafka';

/** The service in its own processes, with datastores that the tests may kill. */
describe(`billing ${onKafka ? 'on Kafka' : 'on Redis Streams'}`, () => {
  let redisServer: RedisServer;
  let store: BundledMongo;
  let redis: Redis;
  let wallet: Wallet;
  let calls: AnsweredCalls;
  let url: string;
  const running: ServiceProcess[] = [];

  before(async function () {
    this.timeout(120_000);
    const kafka = onKafka ? await orSkip(this, sharedKafka) : undefined;
    redisServer = await startRedis({ appendfsync: 'always' });
    store = await startBundledMongo();
    url = kafka ? `kafka://${kafka.brokers.join(',')}` : redisServer.url;
    await connectDatabase(`${store.uri}billing`);
    redis = new Redis(redisServer.url, { enableAutoPipelining: true });
    wallet = openWallet({ redis });
  });
  after(async () => {
    redis?.disconnect();
    await disconnectDatabase();
    await store?.stop();
    await redisServer?.stop();
  });
  beforeEach(async () => {
    calls = await answeredCalls({ url, wallet });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((billing) => billing.kill9()));
    await calls.close();
  });

  async function billing(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const started = await startBilling({ MONGODB_URI: `${store.uri}billing`, REDIS_URL: redisServer.url, BUS_URL: url, ...env });
    running.push(started);
    return started;
  }

  it('charges every call once, says that it is well, and stops cleanly', async () => {
    const port = await freePort();
    const process = await billing({ METRICS_PORT: String(port) });
    await calls.answer(500);
    await calls.publishAgain(100);
    await calls.allChargedOnce();
    for (const path of ['/livez', '/readyz']) expect((await fetch(`${process.url}${path}`)).status).to.equal(200);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).to.match(/^tollgate_answered_not_billed 0$/m);
    expect(metrics).to.match(/^tollgate_holds_open 0$/m);
    expect(metrics).to.match(/^tollgate_events_settled_total\{outcome="billed"\} 500$/m);
    expect(await process.stop()).to.equal(0);
    running.length = 0;
  });

  it('killed in mid-batch, again and again, charges every call once', async () => {
    await calls.answer(1_500);
    // On Kafka each successor first waits until the dead member's session expires.
    const kills = onKafka && faultRounds === 1 ? 2 : 6;
    for (let kill = 0; kill < kills; kill++) {
      const process = await billing();
      await delay(30 * kill);
      await process.kill9();
      await calls.publishAgain(20);
    }
    await billing();
    await calls.allChargedOnce();
  }).timeout(180_000);

  it('in three processes, one of them killed, charges every call once', async () => {
    const [first] = await Promise.all([billing(), billing(), billing()]);
    await calls.answer(600);
    const answering = calls.answer(600);
    await first?.kill9();
    await answering;
    await calls.allChargedOnce();
  });

  it('finds in Redis what a dead relay never published', async () => {
    await calls.answer(50, { publish: false });
    for (const key of await redis.keys('{u*}:holds')) {
      const entries = await redis.zrange(key, '0', '-1');
      for (const entry of entries) await redis.zadd(key, 'XX', 1e14, entry); // as if half a minute had passed
    }
    await billing();
    await calls.allChargedOnce();
  });

  it('waits for a store that is down, and loses nothing', async () => {
    const process = await billing();
    await calls.answer(200);
    const answering = calls.answer(400);
    await store.kill9();
    await eventually(async () => expect((await fetch(`${process.url}/readyz`)).status).to.equal(503));
    await answering;
    await store.restart();
    await calls.allChargedOnce();
    await eventually(async () => expect((await fetch(`${process.url}/readyz`)).status).to.equal(200));
  });

  it('goes on after Redis was restarted', async () => {
    await billing();
    await calls.answer(300);
    await redisServer.kill9();
    await redisServer.restart();
    await calls.answer(300);
    await calls.allChargedOnce();
  });

  it('charges from the bus what an emptied Redis forgot', async function () {
    if (!onKafka) skipBecause(this, 'Redis Streams lose their events together with Redis; Kafka keeps them');
    await calls.answer(300);
    await redis.flushall();
    await calls.answer(300);
    await billing();
    await calls.allChargedOnce();
    await eventually(async () => expect(await redis.keys('{u*}:hold:*')).to.deep.equal([]));
  });
});
