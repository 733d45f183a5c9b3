import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clocksOff, eventually, type KafkaServer, orSkip, sharedKafka } from '@tollgate/testing';
import { expect } from 'chai';
import { Agent } from 'undici';
import { audit } from './faults/audit.ts';
import { inDatabase, model, type Site, startSite } from './faults/site.ts';
import { type Call, oneCall, startTraffic } from './faults/traffic.ts';

const minutes = 60_000;

interface Scene {
  bus: string;
  startBroker?: () => Promise<KafkaServer>;
  /** How far each one's clock is off, in ms. */
  shifts: Record<'relay' | 'billing' | 'console', number>;
}

const scenes: Scene[] = [
  { bus: 'Redis Streams', shifts: { relay: 2 * minutes, billing: -2 * minutes, console: 0 } },
  { bus: 'Kafka', startBroker: sharedKafka, shifts: { relay: -2 * minutes, billing: 0, console: 2 * minutes } },
];

for (const { bus, startBroker, shifts } of scenes) {
  describe(`on ${bus}, with clocks minutes apart`, function () {
    this.timeout(180_000);
    let site: Site;
    let madeAt: number;
    const calls: Call[] = [];

    before(async function () {
      const kafka = startBroker && (await orSkip(this, startBroker));
      madeAt = Date.now();
      site = await startSite({
        RELAY_HOLD_MS: '3000',
        SWEEP_SECONDS: '1',
        LOG_LEVEL: 'info',
        ...clocksOff(shifts),
        ...(kafka && { BUS_URL: `kafka://${kafka.brokers.join(',')}` }),
      });
      site.provider.answers({ paceMs: 5 });
    });
    after(async () => {
      await site?.stop();
    });

    it('each process believes in the time that it was given', () => {
      for (const [service, shift] of Object.entries(shifts)) {
        const [line = '{}'] = readFileSync(join(site.installation.dataDir, 'logs', `${service}.log`), 'utf8').split('\n');
        const { time } = JSON.parse(line.slice(line.indexOf('{'))) as { time: number | string };
        expect(new Date(time).getTime() - Date.now(), service).to.be.closeTo(shift, minutes);
      }
    });

    it('calls are charged once and dated by the time that all share', async () => {
      const beganAt = Date.now();
      const traffic = startTraffic(site);
      await eventually(() => expect(traffic.calls.length).to.be.at.least(30), { timeoutMs: 60_000 });
      const seen = await traffic.stop();
      calls.push(...seen);
      expect(seen.filter(({ got }) => got !== 'whole')).to.deep.equal([]);
      await audit(site, calls);
      const rows = await inDatabase(site, (database) => database.collection('usage_logs').find({ userId: site.userId }).toArray());
      for (const row of rows) expect(row.at.getTime(), `type ${row.type}`).to.be.within(madeAt - 1000, Date.now() + 1000);
      const calledAt = rows.filter(({ type }) => type === 2).map(({ at }) => at.getTime());
      expect(Math.min(...calledAt)).to.be.at.least(beganAt - 1000);
      const { rpm } = await site.installation.console<{ rpm: number }>('/api/log/self/stat');
      const ofLastMinute = seen.filter(({ endedAt }) => endedAt > Date.now() - minutes);
      expect(rpm, 'by clocks that are apart it would be none').to.be.within(ofLastMinute.length, seen.length);
    });

    it('a call that goes on keeps its hold; that of a relay that dies is swept when its time has come', async () => {
      site.provider.answersNext({ words: 60, paceMs: 100 });
      const long = await ask(site);
      expect(long.got).to.equal('whole');
      site.provider.answersNext({ words: 600, paceMs: 100 }); // so that it goes on whenever the kill comes
      const before = site.provider.calls.length;
      const breaking = ask(site);
      await eventually(
        () => {
          expect(site.provider.calls).to.have.lengthOf.above(before); // else the one before would be looked at
          expect(site.provider.lastCall().sentTokens).to.be.within(20, 500);
        },
        { timeoutMs: 30_000 },
      );
      process.kill(await site.installation.pidOf('relay'), 'SIGKILL');
      const broken = await breaking;
      expect(broken.got).to.equal('part');
      calls.push(long, broken);
      const diedAt = Date.now();
      await audit(site, calls);
      expect(Date.now() - diedAt, 'by clocks that are apart it would be two minutes and more').to.be.below(1.5 * minutes);
    });

    it('calls of a small wallet take turns, and none waits longer than its turn', async () => {
      const key = await newToken(site, { name: 'small', remain_quota: 33 });
      site.provider.answers({ words: 3, paceMs: 100 });
      const other = await newToken(site, { name: 'large', unlimited_quota: true });
      const began = performance.now();
      await ask(site, other);
      const aloneMs = performance.now() - began;
      const answers = await Promise.all(Array.from({ length: 4 }, () => ask(site, key)));
      expect(answers.map(({ got }) => got)).to.deep.equal(['whole', 'whole', 'whole', 'whole']);
      expect(performance.now() - began).to.be.below(5_000 + 10 * aloneMs);
    });

    it('the playground takes the pass of the console, and a session ends when it is ended', async () => {
      const { installation } = site;
      const body = JSON.stringify({ model, group: 'default', messages: [{ role: 'user', content: 'Hi' }] });
      const play = () => installation.asRoot('/pg/chat/completions', { method: 'POST', body });
      expect((await play()).status).to.equal(200);
      await installation.console('/api/user/logout');
      expect((await play()).status).to.equal(401);
      await installation.signInAgain();
      expect((await play()).status).to.equal(200);
    });

    it('a token that is switched off or past its time is refused at once, another one is not', async () => {
      const inAMinute = Math.floor(Date.now() / 1000) + 60;
      const [off, late, good] = [
        await newToken(site, { name: 'off', unlimited_quota: true }),
        await newToken(site, { name: 'late', unlimited_quota: true, expired_time: inAMinute - 90 }),
        await newToken(site, { name: 'good', unlimited_quota: true, expired_time: inAMinute }),
      ];
      expect((await ask(site, off)).status).to.equal(200);
      const tokens = await tokensOf(site);
      const named = (name: string) => tokens.find((token) => token.name === name) ?? expect.fail(`no token ${name}`);
      expect([named('late').status, named('good').status]).to.deep.equal([3, 1]);
      await site.installation.console('/api/token/?status_only=true', { method: 'PUT', body: { id: named('off').id, status: 2 } });
      await eventually(async () => expect((await ask(site, off)).status).to.equal(401), { timeoutMs: 5_000 });
      expect((await ask(site, late)).status).to.equal(401);
      expect((await ask(site, good)).status).to.equal(200);
    });

    it('nothing is owed and no hold is left when all is quiet', async () => {
      for (const service of ['relay', 'billing'] as const)
        await eventually(async () => expect(await site.gauge(service, 'tollgate_answered_not_billed')).to.equal(0), { timeoutMs: 10_000 });
      await eventually(async () => {
        const uncharged = await inDatabase(site, async (database) => {
          const rows = await database.collection('usage_logs').find({ type: 2, userId: site.userId }).toArray();
          const wallet = await database.collection<{ _id: number; balance: number }>('wallets').findOne({ _id: site.userId });
          return site.grant - rows.reduce((sum, { quota, uncollected }) => sum + quota - uncollected, 0) - (wallet?.balance ?? 0);
        });
        expect(uncharged).to.equal(0);
      });
    });
  });
}

const agent = new Agent();

function ask(site: Site, apiKey?: string): Promise<Call> {
  return oneCall(site, agent, { mark: `asked-${site.provider.calls.length}`, isStream: true, ...(apiKey && { apiKey }) });
}

interface TokenRow {
  id: number;
  name: string;
  key: string;
  status: number;
}

async function tokensOf(site: Site): Promise<TokenRow[]> {
  return (await site.installation.console<{ items: TokenRow[] }>('/api/token/?p=1&page_size=20')).items;
}

/** The new token's key, ready to be sent. */
async function newToken(site: Site, body: { name: string; [field: string]: unknown }): Promise<string> {
  await site.installation.console('/api/token/', { method: 'POST', body });
  const made = (await tokensOf(site)).find(({ name }) => name === body.name);
  return `sk-${made?.key}`;
}
