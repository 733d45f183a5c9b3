import { eventually, type RedisServer, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openReplication } from '../src/index.ts';

describe('waiting for replicas', function () {
  this.timeout(60_000);
  let primary: RedisServer;
  let replica: RedisServer;
  let redis: Redis;
  let line: Redis;
  let missed = 0;

  before(async () => {
    primary = await startRedis();
    replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port), '--repl-diskless-sync-delay', '0'] });
    redis = new Redis(primary.url);
    redis.on('error', () => undefined); // the test kills it
    await eventually(async () => expect(await redis.wait(1, 1_000)).to.equal(1), { timeoutMs: 20_000 });
  });
  beforeEach(async () => {
    missed = 0;
    line = redis.duplicate({ autoResendUnfulfilledCommands: false, enableOfflineQueue: false, lazyConnect: true });
    line.on('error', () => undefined);
    await line.connect();
  });
  after(async () => {
    redis?.disconnect();
    await replica?.stop();
    await primary?.stop();
  });

  const waiting = (options: { replicas: number; waitMs: number }) => openReplication(line, { ...options, onMissed: () => (missed += 1) });
  const questions = async () => Number(/cmdstat_wait:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);

  it('ends when the replica has what was written, and many who wait share few questions', async () => {
    const replication = waiting({ replicas: 1, waitMs: 30_000 });
    const before = await questions();
    const reader = new Redis(replica.url);
    await Promise.all(
      Array.from({ length: 200 }, async (_, number) => {
        await redis.set(`written:${number}`, 'it');
        await replication.reached();
        expect(await reader.get(`written:${number}`)).to.equal('it');
      }),
    );
    expect(missed).to.equal(0);
    expect((await questions()) - before).to.be.within(1, 100);
    reader.disconnect();
    replication.close();
  });

  it('goes on without a replica that is missing when its time is over, and other lines are answered meanwhile', async () => {
    const replication = waiting({ replicas: 2, waitMs: 300 });
    const all = Promise.all([replication.reached(), replication.reached()]);
    await redis.set('another', 'line');
    await all;
    expect(missed).to.equal(2);
    replication.close();
  });

  it('goes on when Redis dies under it', async () => {
    const replication = waiting({ replicas: 2, waitMs: 30_000 });
    const before = await questions();
    const asked = replication.reached();
    await eventually(async () => expect(await redis.info('clients')).to.match(/blocked_clients:[1-9]/));
    expect(await questions()).to.be.at.least(before);
    await primary.kill9();
    await replica.kill9();
    await asked;
    expect(missed, 'it was under way').to.equal(1);
    await replication.reached();
    expect(missed, 'nobody is there').to.equal(2);
    replication.close();
  });
});
