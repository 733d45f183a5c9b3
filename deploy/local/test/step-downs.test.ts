import { setTimeout as delay } from 'node:timers/promises';
import { type BundledMongo, eventually, faultClocks, startBundledMongo } from '@tollgate/testing';
import { expect } from 'chai';
import { audit } from './faults/audit.ts';
import { type ReplicaSet, startReplicaSet } from './faults/replica-set.ts';
import { type Site, startSite } from './faults/site.ts';
import { type Call, startTraffic } from './faults/traffic.ts';

describe('a MongoDB whose primary steps down', function () {
  this.timeout(180_000);
  let store: BundledMongo;
  let set: ReplicaSet;
  let site: Site;
  const calls: Call[] = [];

  before(async () => {
    store = await startBundledMongo();
    set = await startReplicaSet({ to: store.port, database: 'steps' });
    site = await startSite({ MONGODB_URI: set.uri, RELAY_HOLD_MS: '5000', SWEEP_SECONDS: '1', ...faultClocks });
    site.provider.answers({ paceMs: 10 });
  });
  after(async () => {
    await site?.stop();
    await set?.stop();
    await store?.stop();
  });

  for (const abruptly of [false, true])
    it(`${abruptly ? 'abruptly' : 'politely'}, five times under load: callers see nothing of it, each answer is charged once, what the console says it did is done once`, async () => {
      const counted = abruptly ? 'repeated' : 'sentAway';
      const before = set.counts[counted];
      const traffic = startTraffic(site);
      let isOver = false;
      const told = addUsers(() => isOver, counted);
      try {
        for (let round = 0; round < 5; round += 1) {
          const known = traffic.calls.length;
          await eventually(() => expect(traffic.calls.length).to.be.above(known + 10), { timeoutMs: 60_000 });
          await set.stepDown({ awayMs: 300 + 200 * round, abruptly });
        }
      } finally {
        isOver = true;
        calls.push(...(await traffic.stop()));
      }
      expect(set.counts[counted]).to.be.above(before);
      expect(calls.filter(({ got }) => got !== 'whole')).to.deep.equal([]);
      const finding = await audit(site, calls);
      const { made, refused } = await told;
      expect(made).to.not.deep.equal([]);
      const { items } = await site.installation.console<{ items: { username: string }[] }>('/api/user/?p=1&page_size=100');
      const names = items.map(({ username }) => username);
      expect(names).to.include.members(made);
      expect(new Set(names).size, 'each once').to.equal(names.length);
      process.stdout.write(`      ${JSON.stringify({ ...finding, ...set.counts, made: made.length, refused })}\n`);
    });

  /** Adds users until it is over. `refused`: what the console said of those that it did not add. */
  async function addUsers(isOver: () => boolean, mark: string): Promise<{ made: string[]; refused: string[] }> {
    const [made, refused]: [string[], string[]] = [[], []];
    for (let number = 0; !isOver() && number < 40; number += 1) {
      const username = `${mark.slice(0, 4)}-${number}`;
      const body = { username, password: 'a long enough one', display_name: username };
      await site.installation.console('/api/user/', { method: 'POST', body }).then(
        () => made.push(username),
        (error: Error) => refused.push(error.message),
      );
      await delay(50);
    }
    return { made, refused };
  }
});
