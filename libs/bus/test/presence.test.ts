import { type RedisServer, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { presenceOf, processesSeen } from '../src/index.ts';

describe('presence', () => {
  let server: RedisServer;
  let redis: Redis;
  let context: Parameters<typeof processesSeen>[0];
  before(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
    context = { redis, now: async () => Number((await redis.time())[0]) * 1000 };
  });
  after(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('lists the running processes, since when they run, and the lag that billing reports', async () => {
    const billing = presenceOf('billing', context);
    await billing.heartbeat({ lag: 7 });
    await presenceOf('relay', context).heartbeat();
    await billing.heartbeat({ lag: 3 });
    const { processes, nowMs } = await processesSeen(context);
    expect(processes.map(({ service, lag }) => [service, lag])).to.have.deep.members([
      ['billing', 3],
      ['relay', undefined],
    ]);
    for (const { startedAtMs, atMs, process } of processes) {
      expect(startedAtMs).to.be.at.most(atMs);
      expect(atMs).to.be.at.most(nowMs);
      expect(process).to.match(/^.+:\d+$/);
    }
  });

  it('forgets who has been silent for a minute', async () => {
    await presenceOf('console', context).heartbeat();
    const [field = '', text = ''] = Object.entries(await redis.hgetall('presence')).find(([name]) => name.startsWith('console')) ?? [];
    await redis.hset('presence', field, JSON.stringify({ ...JSON.parse(text), atMs: JSON.parse(text).atMs - 61_000 }));
    expect((await processesSeen(context)).processes.map(({ service }) => service)).to.not.include('console');
    expect(await redis.hexists('presence', field)).to.equal(0);
  });
});
