import { setTimeout as delay } from 'node:timers/promises';
import { eventually, faultRounds, orSkip, type Restartable, startBundledMongo, startKafka, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Agent } from 'undici';
import { audit } from './faults/audit.ts';
import { type Look, startLooking } from './faults/looks.ts';
import { inDatabase, type Site, startSite } from './faults/site.ts';
import { type Call, oneCall } from './faults/traffic.ts';

const isLong = faultRounds > 1;
const outageMs = isLong ? 60_000 : 2_000;
/** What is promised is a second; the rest is for a busy machine. */
const longestAnswerMs = 3_000;
const longestNamedMs = 20_000;
const backWithinMs = 5_000;
const silentForMs = isLong ? 20_000 : 6_000;
const services = ['relay', 'billing', 'console'] as const;

interface Absence {
  what: string;
  lastsMs: number;
  isRestarted: boolean;
  isSilent: boolean;
}
const away = `is away for ${outageMs / 1000} s`;
const absences: Absence[] = [
  { what: away, lastsMs: outageMs, isRestarted: false, isSilent: false },
  { what: `${away}, relay, billing and console being killed meanwhile`, lastsMs: outageMs, isRestarted: true, isSilent: false },
  { what: `accepts connections and is silent for ${silentForMs / 1000} s`, lastsMs: silentForMs, isRestarted: false, isSilent: true },
];

interface Scene {
  bus: string;
  startBus(): Promise<Restartable & { url: string }>;
  /** What goes away; the others behave the same on every bus, and have their turn in the long form. */
  datastores: ('bus' | 'Redis' | 'MongoDB')[];
}

const scenes: Scene[] = [
  { bus: 'Redis Streams', startBus: () => startRedis({ appendfsync: 'always' }), datastores: ['bus', 'Redis', 'MongoDB'] },
  { bus: 'Kafka', startBus: startKafkaBus, datastores: isLong ? ['bus', 'Redis', 'MongoDB'] : ['bus'] },
];

for (const { bus, startBus, datastores } of scenes) {
  describe(`with datastores of its own and ${bus}`, function () {
    this.timeout(180_000 + 6 * outageMs);
    const stores = {} as Record<'bus' | 'Redis' | 'MongoDB', Restartable>;
    const calls: Call[] = [];
    let site: Site;
    let agent: Agent;
    let stopLooking: () => Promise<unknown> = async () => undefined;

    before(async function () {
      const busServer = await orSkip(this, startBus);
      const redis = await startRedis({ appendfsync: 'always' });
      const mongo = await startBundledMongo();
      Object.assign(stores, { bus: busServer, Redis: redis, MongoDB: mongo });
      agent = new Agent({ headersTimeout: 30_000, bodyTimeout: 30_000 });
      const addresses = { MONGODB_URI: `${mongo.uri}outages`, REDIS_URL: redis.url, BUS_URL: busServer.url };
      site = await startSite({ ...addresses, SWEEP_SECONDS: '1' });
      await charged(await call('warm'));
    });
    afterEach(() => stopLooking()); // also after a failure
    after(async () => {
      await site?.stop();
      await agent?.destroy();
      for (const store of Object.values(stores)) await store.stop();
    });

    for (const datastore of datastores) {
      for (const { what, lastsMs, isRestarted, isSilent } of absences) {
        it(`answers while ${datastore} ${what}, and loses nothing`, async () => {
          const looking = startLooking(site);
          stopLooking = looking.stop;
          if (isSilent) process.kill(stores[datastore].pid, 'SIGSTOP');
          else await stores[datastore].kill9();
          const goneAt = Date.now();
          if (isRestarted) for (const name of services) process.kill(await site.installation.pidOf(name), 'SIGKILL');
          const isNamed = () => datastore === 'bus' || pagesThatName(looking.looks, datastore) > 0;
          while (Date.now() - goneAt < lastsMs || (!isNamed() && Date.now() - goneAt < lastsMs + longestNamedMs)) {
            calls.push(await call(`${bus}-${datastore}`));
            await delay(isLong ? 500 : 100);
          }
          if (isSilent) process.kill(stores[datastore].pid, 'SIGCONT');
          else await stores[datastore].restart();
          const backAt = Date.now();
          await eventually(async () => expect(await notAnswering(), 'not back').to.deep.equal([]), { timeoutMs: 30_000, everyMs: 50 });
          const after = await call('after');
          expect(after.got).to.equal('whole');
          const servedMs = Date.now() - backAt;
          await charged(after);
          const chargedMs = Date.now() - backAt;
          const looks = await looking.stop();
          say({ bus, datastore, isRestarted, isSilent, servedMs, chargedMs, looks });
          expectAnswers(isRestarted ? withoutBrokenLines(looks) : looks, datastore);
          expect(servedMs, 'served again').to.be.below(backWithinMs);
          expect(chargedMs, 'charged again').to.be.below(backWithinMs);
          await audit(site, calls);
        });
      }
    }

    async function call(mark: string): Promise<Call> {
      const made = await oneCall(site, agent, { mark, isStream: false });
      calls.push(made);
      return made;
    }

    async function charged({ requestId }: Call): Promise<void> {
      const isLogged = () =>
        inDatabase(site, (database) => database.collection<{ _id: string }>('usage_logs').countDocuments({ _id: requestId }));
      await eventually(async () => expect(await isLogged()).to.equal(1), { timeoutMs: 60_000, everyMs: 50 });
    }

    async function notAnswering(): Promise<string[]> {
      const asked = {
        '/readyz': fetch(`${site.installation.address}/readyz`),
        '/api/user/self': site.installation.asRoot('/api/user/self'),
      };
      const answers = await Promise.all(Object.entries(asked).map(async ([path, answer]) => [path, (await answer).status] as const));
      return answers.filter(([, status]) => status !== 200).map(([path, status]) => `${path} ${status}`);
    }
  });
}

/** Each in time; a refusal says when to come back, a page what is missing. Without the bus nobody is refused but by a service that starts. */
function expectAnswers(looks: Look[], datastore: string): void {
  expect(
    looks.filter(({ status, retryAfter }) => status !== 200 && !(status === 503 && retryAfter !== null)),
    'neither served nor asked to come back',
  ).to.deep.equal([]);
  expect(
    looks.filter(({ ms }) => ms > longestAnswerMs),
    'slow',
  ).to.deep.equal([]);
  if (datastore === 'bus') return;
  expect(pagesThatName(looks, datastore), `pages that name ${datastore}`).to.be.greaterThan(0);
}

function pagesThatName(looks: readonly Look[], datastore: string): number {
  return looks.filter(({ what, status, text }) => what === 'page' && status === 503 && text.includes(datastore)).length;
}

/** A relay that is killed breaks what is under way: one request of a kind at the most. */
function withoutBrokenLines(looks: Look[]): Look[] {
  const broken = new Set(
    looks.filter(({ status }) => status === 0).map((look) => looks.find(({ what, status }) => what === look.what && status === 0)),
  );
  return looks.filter((look) => !broken.has(look));
}

function say({ looks, ...facts }: { looks: Look[] } & Record<string, unknown>): void {
  const ms = looks.map((look) => look.ms).sort((a, b) => a - b);
  const late = looks.filter((look) => look.ms > 1_000).map((look) => `${look.what} ${look.status} ${look.ms}`);
  const figures = { looks: ms.length, p50Ms: ms[ms.length >> 1], maxMs: ms.at(-1), late };
  process.stdout.write(`      ${JSON.stringify({ ...facts, ...figures })}\n`);
}

async function startKafkaBus(): Promise<Restartable & { url: string }> {
  const kafka = await startKafka();
  return Object.assign(kafka, { url: `kafka://${kafka.brokers.join(',')}` });
}
