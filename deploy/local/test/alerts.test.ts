import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openBus, topics } from '@tollgate/bus';
import { eventually, faultClocks, faultRounds, orSkip, type RedisServer, skipBecause } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { Agent } from 'undici';
import { endAll, keepDoing } from './faults/keep-doing.ts';
import { chargedCalls, countedCall, letAnHourPass, loseBill, newCaller } from './faults/lost-report.ts';
import { bodyWithoutEnd, lineTo } from './faults/raw-lines.ts';
import { replicaOf, untilReplicated } from './faults/replica.ts';
import { model, type Site, startSite } from './faults/site.ts';
import { oneCall, startTraffic, type Traffic } from './faults/traffic.ts';
import { type Promtool, promtool } from './signals/promtool.ts';
import { type Recording, startRecording } from './signals/recording.ts';

const isLong = faultRounds > 1;
const otherModel = 'gpt-4o';
const settings = {
  RELAY_HOLD_MS: '5000',
  SWEEP_SECONDS: '1',
  RELAY_QUEUE_MS: '20',
  RELAY_BURST_MS: '500',
  REDIS_WAIT_REPLICAS: '1',
  REDIS_WAIT_MS: '200',
  ...faultClocks,
};

/** Each alert that faults.test.ts does not set off, by the fault that it is there for; most of them in `npm run test:faults` alone. */
describe('a fault that happens', function () {
  this.timeout(180_000);
  let check: Promtool;
  let site: Site;
  let replica: RedisServer;
  let redis: Redis;
  let traffic: Traffic;
  const agent = new Agent({ connections: 600 });

  before(async function () {
    check = await orSkip(this, promtool);
    site = await startSite(settings);
    redis = new Redis(site.installation.redisUrl);
    redis.on('error', () => undefined); // it is killed in between
    replica = await replicaOf(redis, site.installation.redisUrl.split('password=')[1] ?? '');
    const { provider, installation } = site;
    const channel = { name: 'other', type: 1, key: 'upstream-key', base_url: provider.url, models: otherModel, group: 'default' };
    await installation.console('/api/channel/', { method: 'POST', body: channel });
    provider.answers({ paceMs: 10 });
    traffic = startTraffic(site, { perSecond: 20 });
  });
  after(async () => {
    await endAll();
    await traffic?.stop();
    await agent.destroy();
    redis?.disconnect();
    await replica?.stop();
    await site?.stop();
  });

  /** Looks at the doors while `fault` goes on: the alerts are silent before it, and have fired by its end. */
  async function setsOff(
    alerts: string[],
    fault: (looks: Recording['looks']) => Promise<unknown>,
    options: { lookSeconds?: number } = {},
  ): Promise<void> {
    const recording = await startRecording(site, options);
    try {
      await recording.looks(4, (figures) => figures('tollgate_events_settled_total{outcome="billed"').length > 0);
      const from = recording.length;
      await fault(recording.looks);
      await recording.fired(alerts, { from, promtool: check });
    } finally {
      await recording.stop();
    }
  }

  /** Stands still meanwhile. */
  async function whileStands(name: string, work: () => Promise<unknown>): Promise<void> {
    const pid = await site.installation.pidOf(name);
    process.kill(pid, 'SIGSTOP');
    await work().finally(() => process.kill(pid, 'SIGCONT'));
  }

  async function killed(name: string): Promise<void> {
    const pid = await site.installation.pidOf(name);
    process.kill(pid, 'SIGKILL');
    await eventually(
      async () => {
        const found = (await site.installation.processes()).find((each) => each.name === name);
        expect(found?.state).to.equal('ready');
        expect(found?.pid).to.not.equal(pid);
      },
      { timeoutMs: 60_000 },
    );
  }

  it('a provider who fails now and then, and then always', () =>
    setsOff(
      ['TollgateAttemptsFail', 'TollgateChannelFails', 'TollgateCallsBurnFast', 'TollgateCallsBurnSlow', 'TollgateChannelsShutOff'],
      async (looks) => {
        site.provider.answersNext(...Array.from({ length: 2_000 }, (_, at) => (at % 5 < 2 ? { status: 500 } : {})));
        await looks(36);
        site.provider.reset();
        site.provider.answers({ status: 500 }, model);
        await looks(30, (figures) => figures('relay_breakers_failing').some((count) => count > 0));
        site.provider.reset();
        site.provider.answers({ paceMs: 10 });
      },
    ));

  it('a provider who keeps to no limit, and a token that cannot pay for it', () =>
    setsOff(['TollgateUncollected'], async (looks) => {
      site.provider.answers({ completionTokens: 1_000_000 }, otherModel);
      const apiKey = await tokenWith(2_000);
      expect((await oneCall(site, agent, { mark: 'dear', isStream: false, apiKey, model: otherModel })).got).to.equal('whole');
      await looks(2, (figures) => figures('tollgate_quota_uncollected_total').some((quota) => quota > 0));
    }));

  if (isLong)
    it('a replica of Redis that is gone', () =>
      setsOff(['TollgateBillsNotReplicated'], async (looks) => {
        await replica.kill9();
        await looks(8, (figures) => figures('relay_bills_not_replicated_total').some((count) => count > 0));
        await replica.restart();
        await untilReplicated(redis);
      }));

  it('a Redis that is gone', () =>
    setsOff(
      [
        ...['TollgateBillsUnwritten', 'TollgateBusUnknown', 'TollgateMoneyUnknown'],
        ...['TollgateConsoleBurnFast', 'TollgateConsoleBurnSlow'],
      ],
      async (looks) => {
        site.provider.answers({ words: 60, paceMs: 20 }, otherModel);
        const known = site.provider.calls.length;
        const streams = Array.from({ length: 20 }, () => oneCall(site, agent, { mark: 'under way', isStream: true, model: otherModel }));
        await eventually(() => {
          const begun = site.provider.calls.slice(known).filter((call) => call.model === otherModel && call.sentTokens > 0);
          expect(begun).to.have.length(20);
        });
        await site.installation.whileSupervisorStands(async () => {
          process.kill(await site.installation.pidOf('redis'), 'SIGKILL');
          let failed = 0;
          const pages = Array.from({ length: 12 }, () =>
            keepDoing(async () => {
              const { status } = await site.installation.asRoot('/api/user/self');
              if (status >= 500) failed += 1;
            }),
          );
          await looks(36, (figures) => failed > 24 && figures('relay_bills_unwritten').some((count) => count > 5));
          await Promise.all(pages.map((page) => page.end()));
        });
        await Promise.all(streams);
      },
    ));

  if (isLong)
    it('a store that stands still', () =>
      setsOff(['TollgateChargesWait', 'TollgateRefundsWait'], (looks) =>
        whileStands('store', async () => {
          const bus = await openBus(site.installation.redisUrl);
          await bus.publish(topics.taskFailed, [{ key: '1', value: { version: 1, id: 'nobody-knows', userId: 1, at: Date.now() } }]);
          await bus.close();
          for (let rush = 0; rush < 6; rush += 1)
            await Promise.all(Array.from({ length: 300 }, () => oneCall(site, agent, { mark: 'rush', isStream: false })));
          const waiting = (figures: (series: string) => number[]) => figures('tollgate_answered_not_billed').some((count) => count > 1_500);
          await looks(36, (figures) => waiting(figures) && figures('tollgate_refunds_waiting').some((count) => count > 0));
        }),
      ));

  it('an answer whose bill is lost with the relay that sent it', () =>
    setsOff(['TollgateAnswersUncharged'], async (looks) => {
      const caller = await newCaller(site);
      await countedCall(site, redis, caller);
      await eventually(async () => expect(await chargedCalls(site, caller)).to.equal(1), { timeoutMs: 30_000 });
      await whileStands('billing', async () => {
        const requestId = await countedCall(site, redis, caller);
        await killed('relay');
        await loseBill(redis, caller, requestId);
        await letAnHourPass(site, redis, caller);
      });
      await killed('billing'); // one that starts reconciles
      await looks(2, (figures) => figures('tollgate_answers_uncharged').includes(1));
    }));

  it('a hold that somebody wrote over', () =>
    setsOff(['TollgateHoldsUnreadable'], async (looks) => {
      const [index, hold] = ['{u1}:holds', '{u1}:hold:1:forged'];
      await redis.hset(hold, { state: 'reported', amount: 0, token: '', event: '{"id', uncollected: 0, at: 1 });
      await redis.zadd(index, 1e14 + 1, hold);
      await looks(2, (figures) => figures('tollgate_holds_swept_total{outcome="unreadable"').some((count) => count > 0));
      await redis.del(hold);
      await redis.zrem(index, hold);
    }));

  if (isLong)
    it('bodies that fill the memory of a relay', () =>
      setsOff(['TollgateRelayNearlyFull'], async (looks) => {
        const lines = Array.from({ length: 14 }, () => bodyWithoutEnd({ address: site.installation.address, apiKey: site.apiKey }));
        await looks(7, (figures) => figures('relay_buffered_bytes').some((bytes) => bytes > 4.2e8));
        for (const line of lines) line.destroy();
        await looks(1, (figures) => figures('relay_buffered_bytes').every((bytes) => bytes < 1e7));
      }));

  if (isLong) {
    it('providers who break their streams off', () =>
      setsOff(['TollgateStreamsBreak', 'TollgateUsageEstimated'], async (looks) => {
        site.provider.answers({ paceMs: 10, breakAfter: 3, breakBy: 'destroy' });
        await looks(75);
        site.provider.answers({ paceMs: 10 });
      }));

    it('a process that begins anew again and again', () =>
      setsOff(
        ['TollgateRestarts'],
        async (looks) => {
          for (let time = 1; time <= 3; time += 1) {
            await killed('billing');
            await looks(2, (figures) => figures('process_start_time_seconds{job="billing"').length > 0);
          }
        },
        { lookSeconds: 10 },
      ));

    it('a process that gets next to no time', () =>
      setsOff(['TollgateLoopBlocked'], async (looks) => {
        const starved = keepDoing(() => whileStands('console', () => delay(700)), { everyMs: 40 });
        await looks(14, (figures) => figures('nodejs_eventloop_lag_p99_seconds{job="console"').some((seconds) => seconds > 0.5));
        await starved.end();
      }));

    it('more calls than a relay can serve', () =>
      setsOff(['TollgateCallsShed'], async (looks) => {
        const starved = keepDoing(() => whileStands('relay', () => delay(60)), { everyMs: 15 });
        const callers = Array.from({ length: 400 }, () => keepDoing(() => oneCall(site, agent, { mark: 'rush', isStream: false })));
        await looks(24, (figures) => figures('relay_calls_shed_total').some((count) => count > 0));
        await Promise.all([starved, ...callers].map((each) => each.end()));
      }));

    it('a billing that stands still for a quarter of a minute, and streams that begin late', () =>
      setsOff(['TollgateChargesBurnFast', 'TollgateChargesBurnSlow', 'TollgateFirstTokenSlow'], async (looks) => {
        site.provider.answers({ delayMs: 10_500 }, otherModel);
        const late: Promise<unknown>[] = [];
        await whileStands('billing', async () => {
          for (let number = 0; number < 160; number += 1) {
            late.push(oneCall(site, agent, { mark: 'late', isStream: true, model: otherModel }));
            await delay(100);
          }
        });
        await looks(45);
        await Promise.all(late);
      }));

    it('a relay whose files are all open', async function () {
      const { supervisor } = JSON.parse(await readFile(join(site.installation.dataDir, 'run/state.json'), 'utf8')) as {
        supervisor: { pid: number };
      };
      if (process.platform !== 'linux') skipBecause(this, `${process.platform} has no prlimit, which limits a process's open files`);
      await promisify(execFile)('prlimit', ['--pid', String(supervisor.pid), '--nofile=400:400']);
      await killed('relay'); // the next one inherits the limit
      const lines: Socket[] = [];
      await setsOff(['TollgateFilesRunOut'], async (looks) => {
        const share = (figures: (series: string) => number[]) =>
          (figures('process_open_fds{job="relay"')[0] ?? 0) / (figures('process_max_fds{job="relay"')[0] ?? Number.POSITIVE_INFINITY);
        lines.push(...Array.from({ length: 320 }, () => lineTo(site.installation.address)));
        await looks(7, (figures) => share(figures) > 0.8);
      });
      for (const line of lines) line.destroy();
    });
  }

  async function tokenWith(quota: number): Promise<string> {
    const { console } = site.installation;
    await console('/api/token/', { method: 'POST', body: { name: 'small', remain_quota: quota } });
    const { items } = await console<{ items: { key: string; name: string }[] }>('/api/token/?p=1&page_size=10');
    return `sk-${items.find(({ name }) => name === 'small')?.key}`;
  }
});
