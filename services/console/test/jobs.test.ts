import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobsView } from '@tollgate/contracts';
import { AuditLog } from '@tollgate/db';
import { createLogger } from '@tollgate/runtime';
import { clocksOff, eventually } from '@tollgate/testing';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Context } from '../src/context.ts';
import { type Board, openBoard, queueName, queuePrefix } from '../src/jobs/board.ts';
import { type Job, job } from '../src/jobs/job.ts';
import { openWorker } from '../src/jobs/worker.ts';
import { startConsole, type TestConsole } from './support/console.ts';

describe('the jobs', () => {
  let tollgate: TestConsole;
  let redis: Redis;
  let board: Board;
  const workers: ReturnType<typeof openWorker>[] = [];

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    // The console's own worker must not take what these tests put in: another database of the same Redis.
    redis = new Redis(tollgate.redisUrl);
    await redis.select(9);
    await redis.flushdb();
    redis.options.db = 9;
    board = openBoard(redis);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await redis.flushdb();
  });
  after(async () => {
    await board.close();
    redis.disconnect();
    await tollgate.close();
  });

  const work = (jobs: Job[], options = {}) => {
    const context = { redis, log: createLogger({ service: 'console', level: 'silent' }) } as unknown as Context;
    const worker = openWorker(context, jobs, options);
    workers.push(worker);
    return worker;
  };

  it('are done with their data, by one of two consoles', async () => {
    const done: number[] = [];
    const add = job({
      name: 'add',
      data: z.strictObject({ n: z.int() }),
      alone: false,
      attempts: 1,
      handle: async (_, { n }) => void done.push(n),
    });
    work([add]);
    work([add]);
    for (let n = 0; n < 20; n += 1) expect(await board.start(add, { n })).to.equal(true);
    await eventually(async () => expect(await board.counts()).to.include({ completed: 20, waiting: 0, running: 0 }));
    expect(done.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
    const [run] = await board.list(1);
    expect(run?.entry.processedBy).to.contain(`:${process.pid}`);
  });

  it('that run alone are never there twice, over all consoles, and may be asked for again once they are over', async () => {
    let [running, most, times] = [0, 0, 0];
    let finish = (): void => {};
    const alone = job({
      name: 'alone',
      data: z.strictObject({}),
      alone: true,
      attempts: 1,
      async handle() {
        times += 1;
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        running -= 1;
      },
    });
    work([alone]);
    work([alone]);
    const started = await Promise.all(Array.from({ length: 10 }, () => board.start(alone, {})));
    expect(started.filter(Boolean)).to.have.length(1);
    await eventually(async () => expect(running).to.equal(1));
    expect(await board.start(alone, {})).to.equal(false);
    finish();
    await eventually(async () => expect(await board.start(alone, {})).to.equal(true));
    await eventually(async () => expect(running).to.equal(1));
    finish();
    await eventually(async () => expect(await board.counts()).to.include({ completed: 2 }));
    expect([most, times]).to.deep.equal([1, 2]);
  });

  it('are tried again after a pause, and fail with their reason; data that does not fit fails at once', async function () {
    this.timeout(30_000);
    let tries = 0;
    const shaky = job({
      name: 'shaky',
      data: z.strictObject({ good: z.int() }),
      alone: false,
      attempts: 3,
      async handle(_, { good }) {
        tries += 1;
        if (tries < good) throw new Error('not yet');
      },
    });
    work([shaky]);
    await board.start(shaky, { good: 2 });
    await eventually(async () => expect(await board.counts()).to.include({ completed: 1 }), { timeoutMs: 15_000 });
    expect(tries).to.equal(2);
    await board.start({ ...shaky, attempts: 1 }, { good: 99 });
    await board.start(shaky, { good: 'bad' } as never);
    await board.start({ ...shaky, name: 'unknown', attempts: 1 }, { good: 1 });
    await eventually(async () => expect(await board.counts()).to.include({ failed: 3, delayed: 0, waiting: 0 }));
    const reasons = (await board.list(10)).filter(({ state }) => state === 'failed').map(({ entry }) => entry.failedReason);
    expect(reasons).to.have.members([
      'not yet',
      'its data is not that of shaky: Invalid input: expected number, received string',
      'there is no job unknown',
    ]);
    expect(tries).to.equal(3);
  });

  it('of a console that stops are told so, and ended by another; one that does not listen keeps nobody waiting', async function () {
    this.timeout(30_000);
    const seen: string[] = [];
    const long = job({
      name: 'long',
      data: z.strictObject({}),
      alone: true,
      attempts: 3,
      async handle(_context, _data, signal) {
        seen.push('begun');
        if (seen.length === 1) await delay(60_000, undefined, { signal });
        seen.push('ended');
      },
    });
    const first = work([long]);
    await board.start(long, {});
    await eventually(async () => expect(seen).to.deep.equal(['begun']));
    work([long]);
    await first.stop();
    await eventually(async () => expect(seen).to.deep.equal(['begun', 'begun', 'ended']), { timeoutMs: 15_000 });

    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    let release = (): void => {};
    const deaf = job({
      name: 'deaf',
      data: z.strictObject({}),
      alone: false,
      attempts: 1,
      handle: () => {
        seen.push('deaf');
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    const stubborn = work([deaf], { stopMs: 300 });
    await board.start(deaf, {});
    await eventually(async () => expect(seen).to.include('deaf'), { timeoutMs: 15_000 });
    const begin = performance.now();
    await stubborn.stop();
    expect(performance.now() - begin).to.be.below(3000);
    release();
  });

  for (const [what, order] of [
    ['never end', 'stop'],
    ['end after it', 'stop-first'],
  ] as const) {
    it(`that outlast the stop of their console and ${what} keep no process alive`, async function () {
      this.timeout(60_000);
      const url = `redis://${redis.options.host}:${redis.options.port}/${redis.options.db}`;
      const child = spawn(process.execPath, [join(import.meta.dirname, 'support/job-process.ts'), url, order], {
        env: { ...process.env, ...clocksOff({ 'job-process': 120_000 }) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const words: string[] = [];
        child.stdout.on('data', (bytes: Buffer) => words.push(bytes.toString()));
        const ended = once(child, 'close');
        const mortal = job({ name: 'mortal', data: z.strictObject({}), alone: true, attempts: 1, handle: async () => {} });
        await board.start(mortal, {});
        await eventually(() => expect(words.join('')).to.equal('begun\nstopped\n'), { timeoutMs: 30_000 });
        expect(await Promise.race([ended, delay(15_000, 'still there', { ref: false })])).to.deep.equal([0, null]);
      } finally {
        child.kill('SIGKILL');
      }
    });
  }

  it('are remembered within bounds, under our own prefix, in one slot of a cluster', async () => {
    const quick = job({ name: 'quick', data: z.strictObject({}), alone: false, attempts: 1, handle: async () => {} });
    work([quick]);
    for (let n = 0; n < 150; n += 1) await board.start(quick, {});
    await eventually(async () => expect(await board.counts()).to.include({ waiting: 0, running: 0 }), { timeoutMs: 15_000 });
    expect((await board.counts()).completed).to.equal(100);
    for (const key of await redis.keys('*')) expect(key).to.match(/^jobs:\{console\}:work(:|$)/);
  });

  it('are shown to root, who runs a failed one again; the audit log says so', async () => {
    const own = new Redis(tollgate.redisUrl);
    const queue = new Queue(queueName, { connection: own, prefix: queuePrefix });
    try {
      await queue.add('probe-all', { for: 'nobody' }, { jobId: 'broken' });
      await queue.add('gone', {}, { jobId: 'gone' });
      const shown = async (): Promise<JobsView> => tollgate.root.ok<JobsView>('GET', '/api/job');
      const failed = async (): Promise<string[]> => (await shown()).items.filter(({ state }) => state === 'failed').map(({ id }) => id);
      await eventually(async () => expect(await failed()).to.include.members(['broken', 'gone']));
      const before = (await shown()).counts.failed;
      const broken = (await shown()).items.find(({ id }) => id === 'broken');
      expect(broken).to.include({ name: 'probe-all', state: 'failed', attempts: 1 });
      expect(broken?.reason).to.match(/^its data is not that of probe-all/);
      await tollgate.root.ok('POST', '/api/job/broken/run');
      await eventually(async () => {
        const { counts, items } = await shown();
        expect(counts).to.include({ failed: before, running: 0, waiting: 0 });
        expect(items.map(({ id }) => id)).not.to.include('broken');
      });
      expect(await AuditLog.findOne({ action: 'job.run' }).lean()).to.include({ target: 'job:probe-all', actorName: 'root' });
      for (const id of ['broken', 'gone', 'nothing'])
        expect((await tollgate.root.send('POST', `/api/job/${id}/run`)).code, id).to.equal('record_not_found');
    } finally {
      await queue.close();
      own.disconnect();
    }
  });
});
