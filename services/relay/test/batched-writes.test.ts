import { execFileSync } from 'node:child_process';
import { engines } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { writeInBatches } from '../src/process/batched-writes.ts';

describe('Commands for Redis', () => {
  let redis: Redis;
  let url: URL;

  before(async () => {
    const { redisUrl } = await engines();
    url = new URL(await redisUrl());
    redis = new Redis(url.href);
    await redis.ping();
  });
  after(async () => void (await redis.quit()));

  /** What another process reads now, while this one does nothing else: no turn of the event loop ends meanwhile. */
  const readElsewhere = (key: string) =>
    execFileSync(process.execPath, [
      '-e',
      `const line = require('node:net').connect(${url.port}, '${url.hostname}', () => line.write('GET ${key}\\r\\n'));
       line.once('data', (bytes) => { process.stdout.write(bytes); line.end(); });`,
    ])
      .toString()
      .trim();

  it('leave together when the turn ends, or before anything else is done when that is wanted', async () => {
    const { sendNow } = writeInBatches(redis);
    const [later, now] = ['batched-writes:later', 'batched-writes:now'];
    await redis.del(later, now);
    const first = redis.set(later, 'set');
    expect(readElsewhere(later)).to.equal('$-1');
    await first;
    expect(await redis.get(later)).to.equal('set');
    const second = redis.set(now, 'set');
    sendNow();
    expect(readElsewhere(now)).to.contain('set');
    expect(await second).to.equal('OK');
    await redis.del(later, now);
  });
});
