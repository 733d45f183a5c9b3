import { type Bus, openBus, topics } from '@tollgate/bus';
import { connectDatabase, disconnectDatabase, rows } from '@tollgate/db';
import {
  type BundledMongo,
  eventually,
  everyRound,
  type FaultProxy,
  faultRounds,
  freePort,
  gaugeAt,
  type KafkaServer,
  orSkip,
  type RedisServer,
  type ServiceProcess,
  startBundledMongo,
  startFaultProxy,
  startKafka,
  startRedis,
} from '@tollgate/testing';
import { openWallet, type Wallet } from '@tollgate/wallet';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { settlementGroup } from '../src/settlement/consumer.ts';
import { type AnsweredCalls, answeredCalls } from './answered-calls.ts';
import { startBilling } from './billing-process.ts';

const onKafka = process.env.TEST_BUS === 'kafka';
/** On Kafka a crash takes ten seconds, until the group removes the dead member, so `npm test` crashes only once there. */
const isLong = faultRounds > 1;
const tag = `bus:{${topics.usageRecorded.name}}:`;
const members = `${tag}m:${settlementGroup}`;

/**
 * Kills billing (kill -9) at the points where it could cost money. Fault proxies on its connections to the database, Redis and the bus stop
 * it just before the message that would pass the point.
 */
describe(`billing that dies, ${onKafka ? 'on Kafka' : 'on Redis Streams'}`, function () {
  this.timeout(60_000 * faultRounds);
  let redisServer: RedisServer;
  let store: BundledMongo;
  let kafka: KafkaServer | undefined;
  let redis: Redis;
  let bus: Bus;
  let wallet: Wallet;
  let calls: AnsweredCalls;
  let toStore: FaultProxy;
  let toRedis: FaultProxy;
  let toBus: FaultProxy;
  let direct: Record<string, string>;
  let proxied: Record<string, string>;
  const running: ServiceProcess[] = [];

  before(async function () {
    this.timeout(120_000);
    kafka = onKafka ? await orSkip(this, startKafka) : undefined;
    redisServer = await startRedis({ appendfsync: 'always' });
    store = await startBundledMongo();
    toStore = await startFaultProxy({ to: Number(new URL(store.uri).port) });
    toRedis = await startFaultProxy({ to: redisServer.port });
    const behind = await kafka?.proxied();
    toBus = behind?.proxy ?? (await startFaultProxy({ to: redisServer.port }));
    const mongodb = (port: number | string) => `mongodb://127.0.0.1:${port}/billing?directConnection=true`;
    const busUrl = kafka ? `kafka://${kafka.brokers.join(',')}` : redisServer.url;
    direct = { MONGODB_URI: mongodb(new URL(store.uri).port), REDIS_URL: redisServer.url, BUS_URL: busUrl };
    proxied = {
      MONGODB_URI: mongodb(toStore.port),
      REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
      BUS_URL: behind ? `kafka://${behind.brokers.join(',')}` : `redis://127.0.0.1:${toBus.port}`,
    };
    await connectDatabase(direct.MONGODB_URI ?? '');
    redis = new Redis(redisServer.url, { enableAutoPipelining: true });
    wallet = openWallet({ redis });
    bus = await openBus(busUrl);
  });
  after(async () => {
    redis?.disconnect();
    await bus?.close();
    await disconnectDatabase();
    for (const proxy of [toStore, toRedis, toBus]) await proxy?.close();
    await store?.stop();
    await redisServer?.stop();
    await kafka?.stop();
  });
  beforeEach(async () => {
    calls = await answeredCalls({ url: direct.BUS_URL ?? '', wallet });
  });
  afterEach(async () => {
    heal();
    await killAll();
    await calls.close();
  });

  async function billing(env: Record<string, string>): Promise<ServiceProcess> {
    const started = await startBilling(env);
    running.push(started);
    return started;
  }

  async function killAll(): Promise<void> {
    await Promise.all(running.splice(0).map((process) => process.kill9()));
    await endLeases();
  }

  /** Held-back messages are lost with the process that sent them. */
  function heal(): void {
    for (const proxy of [toStore, toRedis, toBus]) {
      proxy.reset();
      proxy.heal();
    }
  }

  /** Answers calls, kills billing `deaths` times at a point of charging them, then lets a successor finish. */
  async function dieAt(point: () => Promise<void>, { deaths = 1, atPoint }: { deaths?: number; atPoint(): Promise<unknown> }) {
    await everyRound(async () => {
      for (let death = 0; death < deaths; death += 1) {
        const reached = point();
        await billing(proxied);
        if (death === 0) await calls.answer(200);
        await reached;
        await atPoint();
        await killAll();
        heal();
      }
      const metrics = await freePort();
      await billing({ ...direct, METRICS_PORT: String(metrics) });
      await calls.allChargedOnce();
      await gaugeIsZero(metrics);
      await killAll();
    });
  }

  async function gaugeIsZero(port: number): Promise<void> {
    await eventually(async () => {
      for (const name of ['tollgate_answered_not_billed', 'tollgate_holds_open', 'tollgate_events_waiting']) {
        expect(await gaugeAt(port, name), name).to.equal(0);
      }
    });
  }

  const beforeTheWallets = () => toStore.holdBefore((bytes) => bytes.includes(updateOf('wallets')) && bytes.includes('usedQuota'));
  const beforeTheHoldsEnd = () => toRedis.holdBefore((bytes) => bytes.includes(':hold:'));
  const beforeTheCommit = () => toBus.holdBefore(onKafka ? isOffsetCommit : isStreamCommit);
  const lag = () => bus.lag(topics.usageRecorded, settlementGroup);
  const moved = () => rows.wallets().countDocuments({ balance: { $lt: 1_000_000 } });

  if (!onKafka || isLong) {
    it('with the log rows written and before the wallets', () => {
      let before = 0;
      return dieAt(
        async () => {
          before = await moved();
          await beforeTheWallets();
        },
        {
          async atPoint() {
            expect(await rows.usageLogs().countDocuments({ _id: { $in: calls.requestIds() } })).to.be.greaterThan(0);
            expect(await moved()).to.equal(before);
          },
        },
      );
    });

    it('with the wallets charged and before their holds are ended', () =>
      dieAt(beforeTheHoldsEnd, {
        async atPoint() {
          expect(await moved()).to.be.greaterThan(0);
          expect((await wallet.counts()).reported).to.be.greaterThan(0);
        },
      }));
  }

  it('with the wallets charged and before the commit, three times over the same batch', () =>
    dieAt(beforeTheCommit, {
      deaths: onKafka && !isLong ? 1 : 3,
      async atPoint() {
        expect(await moved()).to.be.greaterThan(0);
        expect(await lag()).to.be.greaterThan(0);
      },
    }));

  if (!onKafka || isLong) {
    it('during a rebalance', async () => {
      await everyRound(async () => {
        const metrics = await freePort();
        await billing({ ...direct, METRICS_PORT: String(metrics) });
        await calls.answer(100);
        const inRebalance = onKafka ? toBus.holdBefore(isSyncGroup) : untilTwoMembers();
        const joining = startBilling(proxied);
        await inRebalance;
        await calls.answer(100);
        const joiner = await joining;
        await joiner.kill9();
        heal();
        await calls.answer(100);
        await calls.allChargedOnce();
        await gaugeIsZero(metrics);
        await killAll();
      });
    });

    it('as a zombie: its successor has charged all when its own update arrives', async () => {
      await everyRound(async () => {
        const held = beforeTheWallets();
        const zombie = await billing(proxied);
        await calls.answer(200);
        await held;
        zombie.signal('SIGSTOP');
        await endLeases();
        const metrics = await freePort();
        await billing({ ...direct, METRICS_PORT: String(metrics) });
        await eventually(async () => expect(await wallet.counts()).to.deep.equal({ open: 0, reported: 0 }), { timeoutMs: 30_000 });
        toStore.heal();
        zombie.signal('SIGCONT');
        await calls.answer(200);
        await calls.allChargedOnce();
        await gaugeIsZero(metrics);
        await killAll();
      });
    });
  }

  /** Expires the leases of dead and frozen members. Impossible on Kafka: there it takes ten seconds. */
  async function endLeases(): Promise<void> {
    if (onKafka) return;
    const group = `${tag}g:${settlementGroup}`;
    await redis.del(members);
    for (const field of await redis.hkeys(group)) if (field.startsWith('until:')) await redis.hset(group, field, 1);
  }

  async function untilTwoMembers(): Promise<void> {
    await eventually(async () => expect(await redis.zcard(members)).to.equal(2), {
      timeoutMs: 20_000,
      everyMs: 5,
    });
  }
});

/** How an update of a collection begins on the wire: a BSON document whose first field, `update`, is its name. */
function updateOf(collection: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32LE(collection.length + 1);
  return Buffer.concat([Buffer.from('\x02update\0'), length, Buffer.from(`${collection}\0`)]);
}

/** The length of a Kafka request is followed by its API key and version. */
const isKafka = (request: number) => (bytes: Buffer) => bytes.length > 6 && bytes.readInt16BE(4) === request;
const isOffsetCommit = isKafka(8);
const isSyncGroup = isKafka(14);

/** A stream commit ends with an entry id and a count. */
function isStreamCommit(bytes: Buffer): boolean {
  return bytes.includes(settlementGroup) && /\r\n\d{10,}-\d+\r\n\$\d+\r\n\d+\r\n$/.test(bytes.toString('latin1'));
}
