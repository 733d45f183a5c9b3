import { hash, randomBytes } from 'node:crypto';
import { announce, type NoticeKind } from '@tollgate/bus';
import { type OptionKey, role } from '@tollgate/contracts';
import { Channel, configureSealing, nextId, OptionModel, seal, Token, User } from '@tollgate/db';
import { createLogger, loadConfig, redisAccess, stopSteps } from '@tollgate/runtime';
import { engines, eventually, type FakeProvider, startFakeProvider } from '@tollgate/testing';
import { holdKey, openWallet, type Wallet, walletKey } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import OpenAI from 'openai';
import { relayEnv } from '../../src/config.ts';
import { openRelay } from '../../src/open.ts';

/** A running relay with real engines, a provider to call, and everything needed to make users, tokens and channels. */
export interface Gateway {
  url: string;
  provider: FakeProvider;
  wallet: Wallet;
  redis: Redis;
  /** The environment of this relay, for another process beside it. */
  env: Record<string, string>;
  user(fields?: UserFields): Promise<TestUser>;
  token(user: TestUser, fields?: TokenFields): Promise<TestToken>;
  channel(fields?: ChannelFields): Promise<number>;
  /** Several, of which the relay hears at once. */
  channels(all: ChannelFields[]): Promise<number[]>;
  changeChannel(id: number, fields: Record<string, unknown>): Promise<void>;
  options(values: Partial<Record<OptionKey, string>>): Promise<void>;
  announce(kind: NoticeKind, id: number | string): Promise<void>;
  /** The official client. It does not try again by itself, unless told so. */
  client(token: TestToken | string, options?: { maxRetries?: number }): OpenAI;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** What stands in Redis about a user's money. */
  held(user: TestUser): Promise<number>;
  openHolds(user: TestUser): Promise<number>;
  /** The events that were written into the holds of a user. */
  events(user: TestUser): Promise<Record<string, unknown>[]>;
  /** The one event of a user who made one call, as soon as it stands there. */
  bill(user: TestUser): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

export interface TestUser {
  id: number;
  token: TestToken;
}

export interface TestToken {
  id: number;
  key: string;
  authorization: string;
}

export interface UserFields {
  balance?: number;
  group?: string;
  role?: number;
  status?: number;
  token?: TokenFields;
}

export type TokenFields = Record<string, unknown> & { remain?: number };
export type ChannelFields = Record<string, unknown> & {
  key?: string;
  /** Several keys, with the ids 1, 2 and so on. */
  severalKeys?: string[];
};

export const modelRatios = { 'test-model': 1, 'other-model': 1, 'free-model': 0, 'embedding-model': 0.5 };

export async function startGateway(settings: Record<string, string> = {}): Promise<Gateway> {
  const { mongodbUri, redisUrl } = await engines();
  const url = await redisUrl();
  const provider = await startFakeProvider();
  const env: Record<string, string> = {
    MONGODB_URI: mongodbUri(),
    REDIS_URL: url,
    BUS_URL: url,
    MASTER_KEY: randomBytes(32).toString('hex'),
    RELAY_PORT: '0',
    EGRESS_ALLOW: '127.0.0.0/8',
    EGRESS_ALLOW_USERS: '127.0.0.0/8',
    RELAY_QUEUE_MS: '60000', // a busy machine refuses nobody
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...settings,
  };
  const config = loadConfig(relayEnv, env);
  const redis = new Redis(config.REDIS_URL, redisAccess(config));
  redis.on('error', () => undefined); // suites that kill Redis know that it is away
  await redis.flushall();
  const logger = createLogger({ service: 'relay', level: config.LOG_LEVEL });
  const relay = stopSteps(logger);
  const port = await openRelay(config, { logger, onStop: relay.onStop });
  configureSealing(config.MASTER_KEY);
  const wallet = openWallet({ redis });
  const base = `http://127.0.0.1:${port}`;
  const tell = (kind: NoticeKind, id: number | string) => announce(redis, kind, id);

  const gateway: Gateway = {
    url: base,
    provider,
    wallet,
    redis,
    env,
    announce: tell,
    async user({ balance = 1_000_000, token: tokenFields, ...fields } = {}) {
      const id = await nextId('users');
      await User.create({ id, username: `user-${id}`, affCode: `aff-${id}`, role: role.user, createdAt: new Date(), ...fields });
      await wallet.open(id);
      if (balance > 0) await wallet.post({ id: `grant:${id}`, userId: id, amount: balance, reason: 'test' });
      const user = { id, token: undefined as unknown as TestToken };
      user.token = await gateway.token(user, tokenFields);
      return user;
    },
    async token(user, { remain = 0, ...fields } = {}) {
      const id = await nextId('tokens');
      const key = randomBytes(24).toString('hex');
      const unlimited = remain === 0;
      await Token.create({
        id,
        userId: user.id,
        name: `token-${id}`,
        keyHash: hash('sha256', key),
        keySealed: seal(key, `token:${id}:key`),
        createdAt: new Date(),
        unlimited,
        ...fields,
      });
      await wallet.openToken({ tokenId: id, userId: user.id, remain });
      return { id, key, authorization: `Bearer sk-${key}` };
    },
    channel: async (fields = {}) => (await gateway.channels([fields]))[0] as number,
    async channels(all) {
      const ids: number[] = [];
      for (const { severalKeys = [], key = severalKeys[0] ?? 'upstream-key-1', ...fields } of all) {
        const id = await nextId('channels');
        await Channel.create({
          id,
          type: 1,
          name: `channel-${id}`,
          keySealed: seal(key, `channel:${id}:key`),
          baseUrl: provider.url,
          models: Object.keys(modelRatios),
          groups: ['default'],
          createdAt: new Date(),
          ...(severalKeys.length > 0 && storedKeys(id, severalKeys)),
          ...fields,
        });
        ids.push(id);
      }
      await tell('channel', ids.join(','));
      return ids;
    },
    async changeChannel(id, fields) {
      await Channel.updateOne({ id }, { $set: fields });
      await tell('channel', id);
    },
    async options(values) {
      for (const [key, value] of Object.entries(values)) {
        await OptionModel.updateOne({ _id: key }, { $set: { value, updatedAt: new Date() } }, { upsert: true });
      }
      await tell('option', Object.keys(values).join(','));
    },
    client(token, { maxRetries = 0 } = {}) {
      return new OpenAI({ apiKey: typeof token === 'string' ? token : `sk-${token.key}`, baseURL: `${base}/v1`, maxRetries });
    },
    post: (path, body, headers = {}) =>
      fetch(base + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    held: async (user) => Number((await redis.hget(walletKey(user.id), 'held')) ?? 0),
    async openHolds(user) {
      const states = await Promise.all((await redis.keys(holdKey(user.id, '*'))).map((key) => redis.hget(key, 'state')));
      return states.filter((state) => state === 'open').length;
    },
    async events(user) {
      const stored = await Promise.all((await redis.keys(holdKey(user.id, '*'))).map((key) => redis.hgetall(key)));
      return stored.filter((hold) => hold.state === 'reported').map((hold) => JSON.parse(hold.event ?? '{}') as Record<string, unknown>);
    },
    bill: (user) =>
      eventually(async () => {
        const [bill, ...more] = await gateway.events(user);
        if (bill === undefined || more.length > 0) throw new Error(`${bill === undefined ? 'no' : 1 + more.length} bills`);
        return bill;
      }),
    async stop() {
      await relay.stop();
      await provider.close();
      await redis.quit();
      redis.disconnect(); // quitting alone leaves the lines open on which sentinels are heard
    },
  };
  await gateway.options({ ModelRatio: JSON.stringify(modelRatios), SelfUseModeEnabled: 'false' });
  return gateway;
}

/** Waits until the relay has taken over the last change of channels or options. */
export async function untilServed(gateway: Gateway, token: TestToken, model = 'test-model'): Promise<void> {
  const isServed = async () => {
    const list = await gateway.client(token).models.list();
    if (!list.data.some(({ id }) => id === model)) throw new Error(`${model} is not served yet`);
  };
  await eventually(isServed, { timeoutMs: 20_000 });
}

function storedKeys(channelId: number, texts: readonly string[]) {
  const at = new Date();
  return {
    keys: texts.map((_, index) => ({ id: index + 1, name: '', tail: '', status: 1, reason: '', changedAt: at, createdAt: at })),
    keySecrets: texts.map((text, index) => ({ id: index + 1, sealed: seal(text, `channel:${channelId}:key`), digest: '' })),
    lastKeyId: texts.length,
  };
}
