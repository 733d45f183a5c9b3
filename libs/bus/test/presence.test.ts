import { type RedisServer, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { presenceOf, processesSeen } from '../src/index.ts';

describe('presence', () => {
  let server: RedisServer;
  let redis: Redis;
  before(async () => {
    server = await startRedis();
    redis = new Redis(server.url);
  });
  after(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('says who is there, since when, and what billing told of its lag', async () => {
    const billing = presenceOf('billing', redis);
    await billing.tell({ lag: 7 });
    await presenceOf('relay', redis).tell();
    await billing.tell({ lag: 3 });
    const { processes, nowMs } = await processesSeen(redis);
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
    await presenceOf('console', redis).tell();
    const [field = '', text = ''] = Object.entries(await redis.hgetall('presence')).find(([name]) => name.startsWith('console')) ?? [];
    await redis.hset('presence', field, JSON.stringify({ ...JSON.parse(text), atMs: JSON.parse(text).atMs - 61_000 }));
    expect((await processesSeen(redis)).processes.map(({ service }) => service)).to.not.include('console');
    expect(await redis.hexists('presence', field)).to.equal(0);
  });
});
