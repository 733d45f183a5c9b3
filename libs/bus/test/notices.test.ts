import { eventually, type RedisServer, startFaultProxy, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { announce, type NoticeWatch, openAnnouncer, watchNotices } from '../src/index.ts';

describe('notices', () => {
  let server: RedisServer;
  let redis: Redis;
  let subscriber: Redis;
  let watch: NoticeWatch;
  let heard: string[];
  let gaps: number;

  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());
  beforeEach(async () => {
    [redis, subscriber] = [connect(), connect()];
    heard = [];
    gaps = 0;
    watch = await watchNotices({
      redis,
      subscriber,
      pollMs: 300,
      onNotice: (kind, id) => heard.push(`${kind}:${id}`),
      onGap: () => {
        gaps += 1;
      },
    });
  });
  afterEach(async () => {
    await watch.stop();
    redis.disconnect();
    subscriber.disconnect();
  });

  function connect(): Redis {
    const client = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    return client;
  }

  it('tells every change once, in order, with no gap', async () => {
    const all = Array.from({ length: 500 }, (_, n) => `token:${n}`);
    await Promise.all(all.map((_, n) => announce(redis, 'token', n)));
    await announce(redis, 'option', 'Theme:dark');
    await eventually(() => expect(heard).to.deep.equal([...all, 'option:Theme:dark']));
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // several polls find nothing new
    expect(gaps).to.equal(0);
  });

  it('finds out that notices were missed while it was away', async () => {
    await Promise.all([redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub'), announce(redis, 'channel', 1), announce(redis, 'channel', 2)]);
    await eventually(() => expect(gaps).to.equal(1));
    expect(heard).to.deep.equal([]);
    await eventually(async () => expect(await redis.pubsub('NUMPAT')).to.equal(1));
    await announce(redis, 'channel', 3);
    await eventually(() => expect(heard).to.include('channel:3'));
    expect(gaps).to.equal(1);
  });

  it('takes a Redis that was restarted and emptied for a gap, and goes on', async () => {
    await announce(redis, 'user', 1);
    await eventually(() => expect(heard).to.deep.equal(['user:1']));
    await redis.flushall();
    await eventually(() => expect(gaps).to.equal(1));
    await server.restart();
    await announce(redis, 'user', 2);
    await eventually(() => expect(heard.length + gaps).to.be.at.least(3));
    await eventually(async () => expect(await redis.pubsub('NUMPAT')).to.equal(1));
    await announce(redis, 'user', 3);
    await eventually(() => expect(heard).to.include('user:3'));
  });

  it('are made again when Redis did not take them', async () => {
    const announcer = await openAnnouncer(redis);
    await eventually(() => expect(gaps).to.equal(1)); // changes that an earlier process may not have announced
    const send = redis.eval.bind(redis) as (...parameters: unknown[]) => Promise<unknown>;
    let failures = 3;
    Object.assign(redis, { eval: (...given: unknown[]) => (failures-- > 0 ? Promise.reject(new Error('reset')) : send(...given)) });
    await announcer.announce('token', 7);
    expect(heard).to.deep.equal([]);
    await eventually(() => expect(heard).to.deep.equal(['token:7']), { timeoutMs: 2_000 });
    await announcer.announce('user', 8);
    await eventually(() => expect(heard).to.deep.equal(['token:7', 'user:8']));
    failures = 1;
    await announcer.announce('channel', 9);
    await announcer.close();
    await eventually(() => expect(heard).to.deep.equal(['token:7', 'user:8', 'channel:9']));
    expect(gaps).to.equal(1);
  });

  it('that were lost are made good within 2 s, also on a line that fell silent without a word', async () => {
    await watch.stop();
    const proxy = await startFaultProxy({ to: Number(new URL(server.url).port) });
    const silent = new Redis(`redis://127.0.0.1:${proxy.port}`, { maxRetriesPerRequest: null });
    silent.on('error', () => undefined);
    let missedMs: number | undefined;
    watch = await watchNotices({
      redis,
      subscriber: silent,
      onNotice: (kind, id) => heard.push(`${kind}:${id}`),
      onGap: () => {
        missedMs = performance.now();
      },
    });
    proxy.blackHole();
    const toldMs = performance.now();
    await announce(redis, 'token', 1);
    await eventually(() => expect(missedMs).not.to.equal(undefined), { timeoutMs: 3_000 });
    expect((missedMs ?? 0) - toldMs).to.be.below(2_000);
    expect(heard).to.deep.equal([]);
    proxy.heal();
    await watch.stop();
    watch = { stop: async () => undefined };
    silent.disconnect();
    await proxy.close();
  });

  it('takes no version that a notice has overtaken for a gap', async () => {
    const get = redis.get.bind(redis);
    let overtaken = false;
    redis.get = async (key) => {
      const version = await get(key);
      if (!overtaken) {
        await announce(redis, 'user', 1);
        await eventually(() => expect(heard).to.include('user:1'));
        overtaken = true;
      }
      return version;
    };
    await eventually(() => expect(overtaken).to.equal(true));
    await announce(redis, 'user', 2);
    await eventually(() => expect([heard, gaps]).to.deep.equal([['user:1', 'user:2'], 0]));
  });

  it('does not stumble over what somebody else publishes', async () => {
    await redis.publish('config:nonsense:1', '7');
    await redis.publish('config:token:1', 'not a number');
    await announce(redis, 'token', 9);
    await eventually(() => expect(heard).to.deep.equal(['token:9']));
  });
});
