import { setTimeout as delay } from 'node:timers/promises';
import { orSkip, sharedKafka } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { audit } from './faults/audit.ts';
import { type Site, startSite } from './faults/site.ts';
import { type Call, startTraffic } from './faults/traffic.ts';

/** `npm run test:faults` repeats every fault; in `npm test` each happens once. */
const repeats = Number(process.env.FAULT_REPEATS ?? 1);
const outageMs = repeats > 1 ? 30_000 : 5_000;

// Holds of a dead relay are swept soon; Redis writes through, so that a kill shows what the product does and not what a disk cache does.
const settings = { RELAY_HOLD_MS: '5000', SWEEP_SECONDS: '1', REDIS_APPENDFSYNC: 'always' };

const buses: [name: string, busUrl: () => Promise<string | undefined>][] = [
  ['Redis Streams', async () => undefined],
  ['Kafka', async () => `kafka://${(await sharedKafka()).brokers.join(',')}`],
];

for (const [bus, busUrl] of buses) {
  describe(`on ${bus}, under load`, function () {
    this.timeout(120_000 * repeats);
    let site: Site;
    let calls: Call[];

    before(async function () {
      const url = await orSkip(this, busUrl);
      site = await startSite({ ...settings, ...(url ? { BUS_URL: url } : {}) });
      site.provider.answers({ paceMs: 30 });
      calls = [];
    });
    after(() => site?.stop());

    for (const victim of ['relay', 'billing', 'redis', 'store', 'console']) {
      it(`kill -9 of the ${victim} costs no answer its charge and charges none twice`, async () => {
        for (let round = 0; round < repeats; round += 1) {
          await under(async () => {
            await delay(1500 + Math.random() * 500);
            process.kill(await site.installation.pidOf(victim), 'SIGKILL');
            await delay(2500);
          });
        }
      });
    }

    for (const victim of ['billing', 'store']) {
      it(`the ${victim} standing still for ${outageMs / 1000} s is caught up with`, async () => {
        await under(async () => {
          const pid = await site.installation.pidOf(victim);
          process.kill(pid, 'SIGSTOP');
          await delay(outageMs);
          process.kill(pid, 'SIGCONT');
          await delay(500);
        });
      });
    }

    it('kill -9 of the supervisor leaves nothing that the next start does not finish', async () => {
      await under(async () => {
        await delay(1500);
        await site.installation.kill9Supervisor();
      });
    });

    /** Calls all the while; then the books are held against all calls so far. */
    async function under(fault: () => Promise<void>): Promise<void> {
      const traffic = startTraffic(site);
      await fault();
      calls.push(...(await traffic.stop()));
      const stopped = await fetch(`${site.installation.address}/livez`).then(
        () => false,
        () => true,
      );
      if (stopped) await site.installation.restart();
      const finding = await audit(site, calls);
      expect(finding.answered).to.be.greaterThan(20);
      process.stdout.write(`      ${JSON.stringify(finding)}\n`);
    }
  });
}

describe('a Redis that lost everything', function () {
  this.timeout(120_000);
  it('is filled again from the database: the next calls go through, at the balance that the log leaves', async () => {
    const site = await startSite(settings);
    try {
      const before = await startTrafficFor(site, 1500);
      await audit(site, before);
      const redis = new Redis(site.installation.redisUrl);
      await redis.flushall();
      redis.disconnect();
      // The session went with Redis: restarting signs in anew.
      await site.installation.restart();
      const after = await startTrafficFor(site, 1500);
      expect(after.filter(({ got }) => got === 'whole').length).to.be.greaterThan(20);
      await audit(site, [...before, ...after]);
    } finally {
      await site.stop();
    }
  });
});

async function startTrafficFor(site: Site, ms: number): Promise<Call[]> {
  const traffic = startTraffic(site);
  await delay(ms);
  return traffic.stop();
}
