import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { audit, type Finding } from './faults/audit.ts';
import { type Site, startSite } from './faults/site.ts';
import { startTraffic } from './faults/traffic.ts';

const repeats = Number(process.env.FAULT_REPEATS ?? 1);

/** What is killed with SIGKILL while calls and streams are under way. */
const victims = ['relay', 'billing', 'redis', 'store', 'console'];

describe('when a process is killed under load', function () {
  this.timeout(180_000 * repeats);
  let site: Site;

  beforeEach(async () => {
    // Holds of a dead relay are swept soon, and Redis writes through, so that a kill shows what the product does and not what a disk cache does.
    site = await startSite({ HOLD_TTL_MS: '4000', SWEEP_INTERVAL_MS: '1000', REPUBLISH_AFTER_MS: '3000', REDIS_APPENDFSYNC: 'always' });
    site.provider.answers({ paceMs: 30 });
  });
  afterEach(() => site.stop());

  for (const victim of victims) {
    it(`the ${victim}: every answer is charged once, and no balance is off`, async () => {
      const findings: Finding[] = [];
      const traffic = startTraffic(site);
      for (let round = 0; round < repeats; round += 1) {
        await delay(1500);
        process.kill(await site.installation.pidOf(victim), 'SIGKILL');
        await delay(2500);
      }
      const calls = await traffic.stop();
      findings.push(await audit(site, calls));
      expect(findings[0]?.answered).to.be.greaterThan(20);
      process.stdout.write(`      ${JSON.stringify(findings[0])}\n`);
    });
  }

  it('the supervisor: the next start takes over, and every answer is charged once', async () => {
    const traffic = startTraffic(site);
    await delay(1500);
    await site.installation.kill9Supervisor();
    const calls = await traffic.stop();
    await site.installation.restart();
    const finding = await audit(site, calls);
    expect(finding.answered).to.be.greaterThan(10);
  });
});
