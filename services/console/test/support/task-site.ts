import { hash, randomBytes } from 'node:crypto';
import { role } from '@tollgate/contracts';
import { Channel, configureSealing, connectDatabase, disconnectDatabase, nextId, rows, seal, Token, User } from '@tollgate/db';
import { createEgress, createLogger } from '@tollgate/runtime';
import {
  type BundledMongo,
  type FaultProxy,
  type KafkaServer,
  type RedisServer,
  type ServiceName,
  type ServiceProcess,
  startBundledMongo,
  startFaultProxy,
  startKafka,
  startRedis,
  startService,
} from '@tollgate/testing';
import { openWallet, type Wallet } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import type { SyncContext } from '../../src/task-sync/sync-tasks.ts';

export interface Drawer {
  id: number;
  tokenId: number;
  /** Of his token, and of his account at the console. */
  authorization: string;
}

/** Relay, billing and console as processes on stores of their own, with fault proxies before these. */
export interface TaskSite {
  wallet: Wallet;
  redis: Redis;
  /** What the sync is called with in this process. */
  context: SyncContext;
  toStore: FaultProxy;
  toRedis: FaultProxy;
  toBus: FaultProxy;
  /** What the processes said, where they were to say all. */
  logged(): string;
  masterKey: string;
  /** A process; `proxied`: its lines go through the fault proxies. */
  start(service: ServiceName, options?: { proxied?: boolean; env?: Record<string, string> }): Promise<ServiceProcess>;
  drawer(balance: number): Promise<Drawer>;
  channels(urls: string[]): Promise<number[]>;
  imagine(relay: ServiceProcess, drawer: Drawer): Promise<{ status: number; code: number; result: string }>;
  /** What was held back is lost. */
  heal(): void;
  /** As if the leases of dead consumers on Redis Streams had run out. */
  endLeases(): Promise<void>;
  stop(): Promise<void>;
}

export const price = 50_000;

/** `logLevel`: what the processes say is kept, too. */
export async function startTaskSite(bus: 'redis' | 'kafka', { logLevel = '' } = {}): Promise<TaskSite> {
  const redisServer: RedisServer = await startRedis({ appendfsync: 'always' });
  const store: BundledMongo = await startBundledMongo();
  const kafka: KafkaServer | undefined = bus === 'kafka' ? await startKafka() : undefined;
  const behind = await kafka?.proxied();
  const toStore = await startFaultProxy({ to: Number(new URL(store.uri).port) });
  const toRedis = await startFaultProxy({ to: redisServer.port });
  const toBus = behind?.proxy ?? (await startFaultProxy({ to: redisServer.port }));
  const mongodb = (port: number | string) => `mongodb://127.0.0.1:${port}/tasks?directConnection=true`;
  const masterKey = randomBytes(32).toString('hex');
  const direct = {
    MONGODB_URI: mongodb(new URL(store.uri).port),
    REDIS_URL: redisServer.url,
    BUS_URL: kafka ? `kafka://${kafka.brokers.join(',')}` : redisServer.url,
  };
  const proxied = {
    MONGODB_URI: mongodb(toStore.port),
    REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
    BUS_URL: behind ? `kafka://${behind.brokers.join(',')}` : `redis://127.0.0.1:${toBus.port}`,
  };
  const shared = { MASTER_KEY: masterKey, EGRESS_ALLOW: '127.0.0.0/8', LOG_LEVEL: logLevel || (process.env.TEST_LOG_LEVEL ?? 'silent') };
  const quick = { RELAY_HOLD_MS: '1500', SWEEP_SECONDS: '0.5' };
  await connectDatabase(direct.MONGODB_URI);
  configureSealing(Buffer.from(masterKey, 'hex'));
  const redis = new Redis(redisServer.url, { enableAutoPipelining: true });
  const wallet = openWallet({ redis });
  const egress = createEgress({ allow: ['127.0.0.0/8'] });
  const running: ServiceProcess[] = [];
  let logged = '';

  return {
    wallet,
    redis,
    masterKey,
    logged: () => logged,
    context: { egress, wallet, log: createLogger({ service: 'console', level: 'silent' }) },
    toStore,
    toRedis,
    toBus,
    async start(service, { proxied: isProxied = false, env = {} } = {}) {
      const settings = { ...shared, ...quick, ...(isProxied ? proxied : direct), ...env };
      const started = await startService(service, settings, {
        hear(words) {
          logged += words;
        },
      });
      running.push(started);
      return started;
    },
    async drawer(balance) {
      const [id, tokenId] = [await nextId('users'), await nextId('tokens')];
      const key = randomBytes(24).toString('hex');
      const createdAt = new Date();
      const accessTokenHash = hash('sha256', `sk-${key}`);
      await User.create({ id, username: `drawer-${id}`, affCode: `drawer-${id}`, role: role.user, accessTokenHash, createdAt });
      await wallet.post({ id: `grant:${id}`, userId: id, amount: balance, reason: 'test' });
      const keySealed = seal(key, `token:${tokenId}:key`);
      await Token.create({ id: tokenId, userId: id, name: 't', keyHash: hash('sha256', key), keySealed, createdAt, unlimited: false });
      await wallet.openToken({ tokenId, userId: id, remain: balance });
      return { id, tokenId, authorization: `Bearer sk-${key}` };
    },
    async channels(urls) {
      const ids: number[] = [];
      for (const baseUrl of urls) {
        const id = await nextId('channels');
        const keySealed = seal('mj-key', `channel:${id}:key`);
        const named = { id, name: `c-${id}`, type: 5, baseUrl, keySealed, models: ['mj_imagine'], groups: ['default'] };
        await Channel.create({ ...named, createdAt: new Date() });
        ids.push(id);
      }
      return ids;
    },
    async imagine(relay, drawer) {
      const answer = await fetch(`${relay.url}/mj/submit/imagine`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: drawer.authorization },
        body: JSON.stringify({ prompt: 'a tiny house' }),
      });
      return { status: answer.status, ...((await answer.json()) as { code: number; result: string }) };
    },
    heal() {
      for (const proxy of [toStore, toRedis, toBus]) {
        proxy.reset();
        proxy.heal();
      }
    },
    async endLeases() {
      if (kafka !== undefined) return;
      for (const [topic, group] of [
        ['usage.recorded', 'billing.settlement'],
        ['task.failed', 'billing.refunds'],
      ]) {
        const tag = `bus:{${topic}}:`;
        await redis.del(`${tag}m:${group}`);
        for (const field of await redis.hkeys(`${tag}g:${group}`))
          if (field.startsWith('until:')) await redis.hset(`${tag}g:${group}`, field, 1);
      }
    },
    async stop() {
      await Promise.all(running.map((service) => service.kill9()));
      redis.disconnect();
      await egress.destroy();
      await disconnectDatabase();
      for (const proxy of [toStore, toRedis, toBus]) await proxy.close();
      await store.stop();
      await redisServer.stop();
      await kafka?.stop();
    },
  };
}

/** What a drawer has paid for is what he was left with: in his wallet, his token, the log, the roll-ups, everywhere the same. */
export async function paidFor(drawer: Drawer): Promise<Record<string, unknown>> {
  const [wallet, token] = [await rows.wallets().findOne({ _id: drawer.id }), await rows.tokenWallets().findOne({ _id: drawer.tokenId })];
  const hours = await rows.usageHourly().find({ userId: drawer.id }).toArray();
  const logs = await rows.usageLogs().find({ userId: drawer.id }).toArray();
  const quota = (all: { quota: number; uncollected: number }[]) => all.reduce((sum, each) => sum + each.quota - each.uncollected, 0);
  return {
    balance: wallet?.balance,
    used: wallet?.usedQuota,
    remain: token?.remain,
    usedByToken: token?.used,
    hours: quota(hours),
    log: quota(logs.filter(({ type, refundOf }) => type === 2 || refundOf !== undefined)),
  };
}

export function booksOf(granted: number, paid: number): Record<string, unknown> {
  return { balance: granted - paid, used: paid, remain: granted - paid, usedByToken: paid, hours: paid, log: paid };
}
