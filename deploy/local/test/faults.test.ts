import { cp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openBus, topics } from '@tollgate/bus';
import {
  EngineUnavailable,
  eventually,
  everyRound,
  faultClocks,
  faultRounds,
  type KafkaServer,
  orSkip,
  sharedKafka,
} from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { Agent } from 'undici';
import { audit } from './faults/audit.ts';
import { inDatabase, type Site, startSite } from './faults/site.ts';
import { type Call, oneCall, startTraffic, usualPerSecond } from './faults/traffic.ts';
import { type Promtool, promtool } from './signals/promtool.ts';
import { type Sight, startRecording } from './signals/recording.ts';
import { announcedIn, samplesIn } from './signals/scrape.ts';
import { readSignals } from './signals/signal-files.ts';

const isLong = faultRounds > 1;
const outageMs = isLong ? 30_000 : 3_000;
// Holds of a dead relay are swept soon; Redis writes through, so that a kill shows what the product does and not what a disk cache does.
// The clocks of the machines are minutes apart all the while.
const graceMs = 4_000;
const settings = {
  RELAY_HOLD_MS: '5000',
  SWEEP_SECONDS: '1',
  REDIS_APPENDFSYNC: 'always',
  RELAY_STOP_GRACE_MS: String(graceMs),
  ...faultClocks,
};

interface Scene {
  bus: string;
  kafka?: () => Promise<KafkaServer>;
  killed: string[];
  frozen: string[];
}
const scenes: Scene[] = [
  { bus: 'Redis Streams', killed: ['relay', 'billing', 'redis', 'store', 'console'], frozen: ['billing', 'store', 'redis'] },
  {
    bus: 'Kafka',
    kafka: sharedKafka,
    killed: isLong ? ['relay', 'billing', 'redis', 'store'] : ['relay', 'billing'],
    frozen: isLong ? ['billing', 'store', 'redis'] : [],
  },
];

/** What a fault must set off: when the doors show it, and which alerts fire by then. */
interface Alarm {
  sight: Sight;
  /** More than the rules wait for, by looks of half a minute each. */
  looks: number;
  alerts: string[];
}
const alarms: Record<'relayDied' | 'billingStands' | 'redisStands' | 'busAway' | 'booksForged', Alarm> = {
  relayDied: {
    sight: (figures) => figures('tollgate_holds_swept_total{outcome="lost"').some((count) => count > 0),
    looks: 2,
    alerts: ['TollgateRelayLost'],
  },
  billingStands: {
    sight: (figures) => figures('tollgate_events_waiting').length === 0,
    looks: 8,
    alerts: ['TollgateChargesStand', 'TollgateProcessDown', 'TollgateServiceGone'],
  },
  redisStands: {
    sight: (figures) => figures('tollgate_answered_not_billed').some(Number.isNaN),
    looks: 5,
    alerts: ['TollgateMoneyUnknown'],
  },
  busAway: {
    sight: (figures) => figures('relay_queued_events').some((count) => count > 12 * usualPerSecond),
    looks: 5,
    alerts: ['TollgateBusAway'],
  },
  booksForged: {
    sight: (figures) =>
      figures('tollgate_wallet_differences')
        .concat(figures('tollgate_dead_letters_waiting'))
        .filter((count) => count > 0).length === 2,
    looks: 2,
    alerts: ['TollgateBooksDiffer', 'TollgateDeadLetters'],
  },
};
const alarmOf: Record<string, Alarm> = { relay: alarms.relayDied };
const alarmOfFrozen: Record<string, Alarm> = { billing: alarms.billingStands, redis: alarms.redisStands };

for (const { bus, kafka: startBroker, killed, frozen } of scenes) {
  describe(`on ${bus}, under load`, function () {
    this.timeout(240_000 * faultRounds);
    let site: Site;
    let kafka: KafkaServer | undefined;
    let calls: Call[];
    let check: Promtool | undefined;

    before(async function () {
      check = await promtool().catch((error: unknown) => {
        if (!(error instanceof EngineUnavailable)) throw error;
        process.stderr.write(`      alerts are not looked at: ${error.message}\n`);
        return undefined;
      });
      kafka = startBroker && (await orSkip(this, startBroker));
      site = await startSite({ ...settings, ...(kafka ? { BUS_URL: `kafka://${kafka.brokers.join(',')}` } : {}) });
      site.provider.answers({ paceMs: 30 });
      calls = [];
    });
    after(() => site?.stop());

    for (const victim of killed) {
      it(`kill -9 of the ${victim} costs no answer its charge and charges none twice`, () =>
        everyRound(() =>
          under(
            async (soFar) => {
              await someAnswered(soFar);
              await delay(Math.random() * 500);
              process.kill(await site.installation.pidOf(victim), 'SIGKILL');
              await delay(2500);
            },
            { alarm: alarmOf[victim] },
          ),
        ));
    }

    for (const victim of frozen) {
      it(`the ${victim} standing still for ${outageMs / 1000} s is caught up with`, () =>
        under(
          async (_soFar, alarmed) => {
            const pid = await site.installation.pidOf(victim);
            process.kill(pid, 'SIGSTOP');
            await Promise.all([delay(outageMs), alarmed()]).finally(() => process.kill(pid, 'SIGCONT'));
            await delay(500);
          },
          { alarm: alarmOfFrozen[victim] },
        ));
    }

    it('SIGTERM of the relay with 200 open streams: each ends whole or with the error event within the grace period, and each is charged', async () => {
      const half = 100;
      site.provider.answersNext(
        ...Array.from({ length: half }, () => ({ words: 20, paceMs: 150 })),
        ...Array.from({ length: half }, () => ({ words: 2_000, paceMs: 150 })),
      );
      const before = site.provider.calls.length;
      const agent = new Agent({ connections: 2 * half, bodyTimeout: 60_000, headersTimeout: 60_000 });
      const streams = Array.from({ length: 2 * half }, (_, at) => oneCall(site, agent, { mark: `stream-${bus}-${at}`, isStream: true }));
      await eventually(
        () => {
          const begun = site.provider.calls.slice(before).filter(({ sentTokens }) => sentTokens > 0);
          expect(begun).to.have.length(2 * half);
        },
        { timeoutMs: 60_000 },
      );
      const stoppedAt = Date.now();
      process.kill(await site.installation.pidOf('relay'), 'SIGTERM');
      const ended = await Promise.all(streams);
      await agent.destroy();
      expect(Math.max(...ended.map(({ endedAt }) => endedAt)) - stoppedAt).to.be.below(2 * graceMs + 10_000); // what has to be told to end has as long again
      for (const call of ended)
        if (call.got !== 'whole') expect(call, JSON.stringify(call)).to.include({ status: 200, got: 'part', hasError: true });
      expect(ended.filter(({ got }) => got === 'whole').length).to.be.within(1, half);
      calls.push(...ended);
      await wellAgain();
      await audit(site, calls);
      const ids = ended.map(({ requestId }) => requestId);
      const rows = await inDatabase(site, (database) =>
        database
          .collection<{ _id: string; endReason: string }>('usage_logs')
          .find({ _id: { $in: ids } })
          .toArray(),
      );
      const whole = new Map(ended.map(({ requestId, got }) => [requestId, got === 'whole']));
      for (const { _id, endReason } of rows) expect(endReason, _id).to.equal(whole.get(_id) ? 'complete' : 'shutdown');
    });

    if (startBroker) {
      it(`Kafka killed with -9 and away, the first time for ${outageMs / 1000} s: callers see nothing of it, what they owe waits and is charged once`, () =>
        everyRound((round) =>
          under(
            async (soFar, alarmed) => {
              await delay(500);
              await kafka?.kill9();
              const before = soFar().filter(({ got }) => got === 'whole').length;
              await Promise.all([delay(round === 1 ? outageMs : 3_000), alarmed()]);
              await eventually(
                async () => {
                  expect(soFar().filter(({ got }) => got === 'whole').length).to.be.greaterThan(before + 40);
                  expect(await site.gauge('relay', 'tollgate_answered_not_billed')).to.be.greaterThan(40);
                },
                { timeoutMs: 60_000 },
              );
              await kafka?.restart();
            },
            { alarm: alarms.busAway },
          ),
        ));
    }

    it(`an emptied Redis and a killed billing: ${kafkaOr('nothing is lost', 'at most what had not come to the log yet')}`, () =>
      everyRound(async () => {
        let emptiedAt = Number.POSITIVE_INFINITY;
        let logged = new Set<string>();
        const isForgotten = ({ startedAt, requestId }: Call) => !kafka && startedAt <= emptiedAt && !logged.has(requestId);
        await under(
          async (soFar) => {
            await someAnswered(soFar);
            const redis = new Redis(site.installation.redisUrl);
            await redis.ping();
            const known = new Set(soFar().map(({ requestId }) => requestId));
            await eventually(async () => expect((await loggedCalls()).intersection(known).size).to.be.greaterThan(20), {
              timeoutMs: 30_000,
            });
            logged = await loggedCalls();
            await redis.flushall();
            emptiedAt = Date.now();
            redis.disconnect();
            process.kill(await site.installation.pidOf('billing'), 'SIGKILL');
            await delay(2_500);
          },
          { isForgotten },
        );
      }));

    it('a Redis that comes back without its newest second: nothing is charged twice, and what was answered is found again', () =>
      under(async (soFar) => {
        await delay(1_500);
        const { dataDir } = site.installation;
        const copy = join(dataDir, 'redis-copy');
        await cp(join(dataDir, 'redis'), copy, { recursive: true });
        const known = soFar().length;
        await eventually(() => expect(soFar().length).to.be.greaterThan(known + 40), { timeoutMs: 30_000 });
        await site.installation.whileSupervisorStands(async () => {
          const pid = await site.installation.pidOf('redis');
          process.kill(pid, 'SIGKILL');
          const address = await site.installation.addressOf('redis');
          await eventually(async () => expect(await isListening(address)).to.equal(false));
          await rm(join(dataDir, 'redis'), { recursive: true });
          await rename(copy, join(dataDir, 'redis'));
        });
        await delay(2_500);
      }));

    it('kill -9 of the supervisor leaves nothing that the next start does not finish', () =>
      under(async () => {
        await delay(1500);
        await site.installation.kill9Supervisor();
      }));

    if (!startBroker) {
      it('every figure and label that a rule or a dashboard names is shown by the three services, and each figure of theirs is named', async () => {
        site.provider.answersNext({ status: 500 });
        const agent = new Agent();
        for (const isStream of [false, false, true]) await oneCall(site, agent, { mark: 'figures', isStream });
        const limited = await limitedToken();
        expect(await oneCall(site, agent, { mark: 'beyond a limit', isStream: false, apiKey: `sk-${limited.key}` })).to.include({
          got: 'none',
        });
        await site.installation.console(`/api/token/${limited.id}`, { method: 'DELETE' });
        await agent.destroy();
        await site.installation.console('/api/user/self');
        const { uses, recordings } = await readSignals();
        const recorded = new Set(recordings.map(({ record }) => record));
        await eventually(async () => {
          const texts = await Promise.all(
            Object.values(site.doors).map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
          );
          const announced = new Set(['up', ...texts.flatMap((text) => [...announcedIn(text)])]);
          const labels = new Map<string, Set<string>>();
          for (const { metric, labels: own } of texts.flatMap(samplesIn))
            labels.set(metric, new Set([...(labels.get(metric) ?? []), ...Object.keys(own)]));
          for (const { metric, labels: asked, where } of uses) {
            if (recorded.has(metric)) continue;
            expect(announced, where).to.include(metric);
            for (const label of asked) expect(['job', 'instance', ...(labels.get(metric) ?? [])], `${where}: ${metric}`).to.include(label);
          }
          const ours = new Set(
            texts.flatMap((text) => [...text.matchAll(/^# TYPE ((?:relay|tollgate|console)_\w+)/gm)].map(([, name = '']) => name)),
          );
          const shown = uses.map(({ metric }) => metric.replace(/_(?:bucket|sum|count)$/, ''));
          expect(shown, 'each figure of ours is drawn or alarms').to.include.members([...ours]);
        });
      });

      it('forged books are told of: a wallet that nobody paid into, and an event that nobody can read', () =>
        under(
          async (_soFar, alarmed) => {
            const stranger = await openBus(site.installation.redisUrl);
            await stranger.publishEncoded(topics.usageRecorded, [{ key: '1', json: '{"id":"forged"' }]);
            await stranger.close();
            const wallets = (database: Db) => database.collection<{ _id: number; [field: string]: unknown }>('wallets');
            await inDatabase(site, (database) =>
              wallets(database).insertOne({ _id: 999_999, balance: 1, usedQuota: 0, requests: 0, version: 1, applied: [], marks: {} }),
            );
            await startBillingAgain(); // one that starts looks at all books
            await eventually(
              async () => {
                expect(await site.gauge('billing', 'tollgate_wallet_differences')).to.equal(1);
                expect(await site.gauge('billing', 'tollgate_dead_letters_waiting')).to.equal(1);
              },
              { timeoutMs: 30_000 },
            );
            await alarmed();
            await inDatabase(site, (database) => wallets(database).deleteOne({ _id: 999_999 }));
            await startBillingAgain();
            await eventually(async () => expect(await site.gauge('billing', 'tollgate_wallet_differences')).to.equal(0), {
              timeoutMs: 30_000,
            });
          },
          { alarm: alarms.booksForged },
        ));
    }

    /** One with which no call is small enough. */
    async function limitedToken(): Promise<{ id: number; key: string }> {
      const { console } = site.installation;
      await console('/api/token/', { method: 'POST', body: { name: 'limited', unlimited_quota: true, tokens_per_minute: 1 } });
      const { items } = await console<{ items: { id: number; key: string; name: string }[] }>('/api/token/?p=1&page_size=10');
      const made = items.find(({ name }) => name === 'limited');
      if (!made) throw new Error('the token was not made');
      return made;
    }

    async function startBillingAgain(): Promise<void> {
      const pid = await site.installation.pidOf('billing');
      process.kill(pid, 'SIGKILL');
      await eventually(
        async () => {
          const billing = (await site.installation.processes()).find(({ name }) => name === 'billing');
          expect(billing?.state).to.equal('ready');
          expect(billing?.pid).to.not.equal(pid);
        },
        { timeoutMs: 60_000 },
      );
    }

    function kafkaOr(onKafka: string, onRedis: string): string {
      return startBroker ? onKafka : onRedis;
    }

    /**
     * Calls all the while; then the books are held against all calls so far, but for those that may be forgotten. With an alarm, what the
     * doors showed is played to the rules: nothing fires before the fault, and the alarm's alerts do by then.
     */
    async function under(
      fault: (soFar: () => Call[], alarmed: () => Promise<void>) => Promise<void>,
      { isForgotten = () => false, alarm }: { isForgotten?: (call: Call) => boolean; alarm?: Alarm | undefined } = {},
    ): Promise<void> {
      const recording = alarm && check && (await startRecording(site));
      const traffic = startTraffic(site);
      try {
        await recording?.looks(4, (figures) => figures('tollgate_events_settled_total{outcome="billed"').length > 0);
        const from = recording?.length ?? 0;
        const alarmed = async () => {
          if (alarm) await recording?.looks(alarm.looks, alarm.sight);
        };
        await fault(() => traffic.calls, alarmed);
        await someAnswered(() => traffic.calls);
        const seen = await traffic.stop();
        calls.push(...seen.filter((call) => !isForgotten(call)));
        if (!site.installation.supervisorRuns()) await site.installation.restart();
        await wellAgain(); // what dies again and again is started again after a while only
        const finding = await audit(site, calls).catch(async (error) => {
          process.stdout.write(await site.lastWords());
          throw error;
        });
        if (alarm === alarms.relayDied) await alarmed(); // its calls are swept while the books are looked at
        if (recording && check && alarm) await recording.fired(alarm.alerts, { from, promtool: check });
        expect(seen.filter(({ got }) => got === 'whole').length).to.be.greaterThan(20);
        process.stdout.write(`      ${JSON.stringify(finding)}\n`);
      } finally {
        await traffic.stop();
        await recording?.stop();
      }
    }

    async function someAnswered(soFar: () => Call[]): Promise<void> {
      await eventually(() => expect(soFar().filter(({ got }) => got === 'whole').length).to.be.greaterThan(20), { timeoutMs: 60_000 });
    }

    async function loggedCalls(): Promise<Set<string>> {
      const rows = await inDatabase(site, (database) =>
        database
          .collection<{ _id: string }>('usage_logs')
          .find({ type: 2 }, { projection: { _id: 1 } })
          .toArray(),
      );
      return new Set(rows.map(({ _id }) => _id));
    }

    /** What came back takes calls again. */
    async function wellAgain(): Promise<void> {
      await eventually(async () => expect((await fetch(`${site.installation.address}/readyz`)).status).to.equal(200), {
        timeoutMs: 60_000,
      });
    }
  });
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
