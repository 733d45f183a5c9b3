import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobsView } from '@tollgate/contracts';
import { createLogger } from '@tollgate/runtime';
import { clocksOff, engines, eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Context } from '../src/context.ts';
import { type Board, openBoard } from '../src/jobs/board.ts';
import { type Job, job } from '../src/jobs/job.ts';
import { openSchedules } from '../src/jobs/schedules.ts';
import { openWorker } from '../src/jobs/worker.ts';
import { startConsole } from './support/console.ts';

const log = createLogger({ service: 'console', level: 'silent' });

describe('jobs with a schedule', () => {
  let redis: Redis;
  let board: Board;
  const opened: { stop(): Promise<void> }[] = [];

  before(async () => {
    // Consoles of other tests have schedules of their own: another database of the same Redis.
    redis = new Redis(await (await engines()).redisUrl(), { db: 8 });
    await redis.flushdb();
    board = openBoard(redis);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(({ stop }) => stop()));
    await redis.flushdb();
  });
  after(async () => {
    await board.close();
    redis.disconnect();
  });

  /** What a console does of its jobs. */
  const openConsole = (jobs: Job[], lockMs?: number) => {
    const context = { redis, jobs: board, log } as unknown as Context;
    const schedules = openSchedules(context, jobs);
    opened.push(schedules, openWorker(context, jobs, { ...(lockMs && { lockMs }) }));
    return schedules;
  };

  const often = (everyMs: () => number, handle: () => Promise<void>) =>
    job({ name: 'often', data: z.strictObject({}), alone: true, attempts: 1, everyMs, handle });

  it('begin again and again, once over two consoles and never two at once, and end when the interval is 0', async () => {
    let [everyMs, running, most] = [100, 0, 0];
    const begun: number[] = [];
    const slow = often(
      () => everyMs,
      async () => {
        begun.push(performance.now());
        running += 1;
        most = Math.max(most, running);
        await delay(150); // longer than its interval
        running -= 1;
      },
    );
    const consoles = [openConsole([slow]), openConsole([slow])];
    await eventually(() => expect(begun.length).to.be.at.least(6));
    expect(most).to.equal(1);
    expect((await board.schedules()).map(({ name, everyMs }) => ({ name, everyMs }))).to.deep.equal([{ name: 'often', everyMs: 100 }]);
    expect((await board.counts()).failed).to.equal(0);

    everyMs = 3_600_000;
    await Promise.all(consoles.map(({ plan }) => plan()));
    const [later] = await board.schedules();
    expect(later?.everyMs).to.equal(3_600_000);
    expect((later?.nextAt ?? 0) - Date.now()).to.be.within(3_600_000 * 0.94, 3_600_000 * 1.06);

    everyMs = 0;
    await consoles[0]?.plan();
    expect(await board.schedules()).to.deep.equal([]);
    await eventually(async () => expect(await board.counts()).to.include({ running: 0, waiting: 0 }));
    const times = begun.length;
    await delay(300);
    expect(begun.length).to.equal(times);
  });

  it('run in time: two consoles do not begin one twice in its interval', async () => {
    const begun: number[] = [];
    const quick = often(
      () => 400,
      async () => void begun.push(performance.now()),
    );
    openConsole([quick]);
    openConsole([quick]);
    await eventually(() => expect(begun.length).to.be.at.least(7));
    // The first may come twice, where both consoles find no schedule; if each began the rest, they would take half as long.
    expect((begun[6] ?? 0) - (begun[0] ?? 0)).to.be.above(1500);
  });

  it('are ended by another console when the one that had begun them dies', async function () {
    this.timeout(30_000);
    const child = spawn(process.execPath, [join(import.meta.dirname, 'support/job-process.ts'), redisAddress(redis)], {
      env: { ...process.env, ...clocksOff({ 'job-process': -120_000 }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let ended = 0;
      const mortal = job({
        name: 'mortal',
        data: z.strictObject({}),
        alone: true,
        attempts: 1,
        everyMs: () => 60_000,
        async handle() {
          ended += 1;
        },
      });
      await board.start(mortal, {});
      await once(child.stdout, 'data');
      openConsole([mortal], 1000);
      await eventually(async () => expect(await board.schedules()).to.have.length(1));
      expect([ended, await board.start(mortal, {})]).to.deep.equal([0, false]); // the other one still has it
      const [run] = await board.list(1);
      expect(run).to.include({ state: 'running' });
      expect(run?.entry.processedBy).to.contain(`:${child.pid}`);
      child.kill('SIGKILL');
      await eventually(() => expect(ended).to.equal(1), { timeoutMs: 15_000 });
      await eventually(async () => expect(await board.start(mortal, {})).to.equal(true));
      const runs = await board.list(5);
      expect(runs.find(({ state }) => state === 'completed')?.entry.processedBy).to.contain(`:${process.pid}`);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('are shown to root: how often each comes by the settings, and when next', async () => {
    const startedAt = Math.floor(Date.now() / 1000);
    const tollgate = await startConsole({ CHANNEL_TEST_FREQUENCY: '30', CHANNEL_UPDATE_FREQUENCY: '0' });
    try {
      const shown = async (): Promise<JobsView> => tollgate.root.ok<JobsView>('GET', '/api/job');
      const shownProbes = async () => (await shown()).schedules.find(({ name }) => name === 'probe-all');
      await eventually(async () => expect((await shownProbes())?.last_time).to.be.closeTo(Date.now() / 1000, 30));
      const { items, schedules } = await shown();
      const probes = await shownProbes();
      expect(probes?.every).to.equal(1800);
      expect((probes?.next_time ?? 0) - Date.now() / 1000).to.be.within(1800 * 0.94, 1800 * 1.06);
      expect(probes?.last_console).to.contain(`:${process.pid}`);
      const done = items.filter(
        ({ name, state, created_time }) => name === 'probe-all' && state === 'completed' && created_time >= startedAt,
      );
      expect(done).to.deep.equal([]); // those that come by themselves would drive out the others
      expect(schedules.map(({ name }) => name)).not.to.include('update-balances');
    } finally {
      await tollgate.close();
    }
  });
});

function redisAddress({ options }: Redis): string {
  return `redis://${options.host}:${options.port}/${options.db}`;
}
