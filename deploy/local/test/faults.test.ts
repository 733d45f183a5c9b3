import { setTimeout as delay } from 'node:timers/promises';
import { eventually, everyRound, faultRounds, type KafkaServer, orSkip, sharedKafka } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { audit } from './faults/audit.ts';
import { type Site, startSite } from './faults/site.ts';
import { type Call, startTraffic } from './faults/traffic.ts';

const isLong = faultRounds > 1;
const outageMs = isLong ? 30_000 : 3_000;
/** What billing may be behind by when all is well; only an emptied Redis that is the bus as well may take it along. */
const behindMs = 3_000;

// Holds of a dead relay are swept soon; Redis writes through, so that a kill shows what the product does and not what a disk cache does.
const settings = { RELAY_HOLD_MS: '5000', SWEEP_SECONDS: '1', REDIS_APPENDFSYNC: 'always' };

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

for (const { bus, kafka: startBroker, killed, frozen } of scenes) {
  describe(`on ${bus}, under load`, function () {
    this.timeout(120_000 * faultRounds);
    let site: Site;
    let kafka: KafkaServer | undefined;
    let calls: Call[];

    before(async function () {
      kafka = startBroker && (await orSkip(this, startBroker));
      site = await startSite({ ...settings, ...(kafka ? { BUS_URL: `kafka://${kafka.brokers.join(',')}` } : {}) });
      site.provider.answers({ paceMs: 30 });
      calls = [];
    });
    after(() => site?.stop());

    for (const victim of killed) {
      it(`kill -9 of the ${victim} costs no answer its charge and charges none twice`, () =>
        everyRound(() =>
          under(async () => {
            await delay(1500 + Math.random() * 500);
            process.kill(await site.installation.pidOf(victim), 'SIGKILL');
            await delay(2500);
          }),
        ));
    }

    for (const victim of frozen) {
      it(`the ${victim} standing still for ${outageMs / 1000} s is caught up with`, () =>
        under(async () => {
          const pid = await site.installation.pidOf(victim);
          process.kill(pid, 'SIGSTOP');
          await delay(outageMs);
          process.kill(pid, 'SIGCONT');
          await delay(500);
        }));
    }

    if (startBroker) {
      it(`Kafka killed with -9 and away, the first time for ${outageMs / 1000} s: callers see nothing of it, what they owe waits and is charged once`, () =>
        everyRound((round) =>
          under(async (soFar) => {
            await delay(500);
            await kafka?.kill9();
            const before = soFar().filter(({ got }) => got === 'whole').length;
            await delay(round === 1 ? outageMs : 3_000);
            expect(soFar().filter(({ got }) => got === 'whole').length).to.be.greaterThan(before + 40);
            expect(await site.gauge('relay', 'tollgate_answered_not_billed')).to.be.greaterThan(40);
            await kafka?.restart();
          }),
        ));
    }

    it(`an emptied Redis and a killed billing: ${kafkaOr('nothing is lost', `at most what was answered in the last ${behindMs / 1000} s`)}`, () =>
      everyRound(async () => {
        let emptiedAt = Number.POSITIVE_INFINITY;
        const isForgotten = ({ endedAt }: Call) => !kafka && endedAt > emptiedAt - behindMs && endedAt < emptiedAt + 500;
        await under(async () => {
          await delay(2_000);
          const redis = new Redis(site.installation.redisUrl);
          await redis.flushall();
          emptiedAt = Date.now();
          redis.disconnect();
          process.kill(await site.installation.pidOf('billing'), 'SIGKILL');
          await delay(2_500);
        }, isForgotten);
      }));

    it('kill -9 of the supervisor leaves nothing that the next start does not finish', () =>
      under(async () => {
        await delay(1500);
        await site.installation.kill9Supervisor();
      }));

    function kafkaOr(onKafka: string, onRedis: string): string {
      return startBroker ? onKafka : onRedis;
    }

    /** Calls all the while; then the books are held against all calls so far, but for those that may be forgotten. */
    async function under(fault: (soFar: () => Call[]) => Promise<void>, isForgotten: (call: Call) => boolean = () => false): Promise<void> {
      const traffic = startTraffic(site);
      await fault(() => traffic.calls);
      const seen = await traffic.stop();
      calls.push(...seen.filter((call) => !isForgotten(call)));
      if (!site.installation.supervisorRuns()) await site.installation.restart();
      await wellAgain(); // what dies again and again is started again after a while only
      const finding = await audit(site, calls).catch(async (error) => {
        process.stdout.write(await site.lastWords());
        throw error;
      });
      expect(seen.filter(({ got }) => got === 'whole').length).to.be.greaterThan(20);
      process.stdout.write(`      ${JSON.stringify(finding)}\n`);
    }

    /** What came back takes calls again. */
    async function wellAgain(): Promise<void> {
      await eventually(async () => expect((await fetch(`${site.installation.address}/readyz`)).status).to.equal(200), {
        timeoutMs: 60_000,
      });
    }
  });
}
