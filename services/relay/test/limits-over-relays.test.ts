import { completionTokensOf, type LimitName, promptTokensOf, storedLimits, type Usage } from '@tollgate/contracts';
import { createLogger, loadConfig, stopSteps } from '@tollgate/runtime';
import { eventually, type ServiceProcess, startService } from '@tollgate/testing';
import { limitKeys } from '@tollgate/wallet';
import { expect } from 'chai';
import { relayEnv } from '../src/config.ts';
import { openRelay } from '../src/open.ts';
import { askAt, question } from './support/ask.ts';
import { type Gateway, modelRatios, startGateway, type TestUser } from './support/gateway.ts';
import { limitedLoad } from './support/limited-load.ts';

/** How many calls are sent against each limit: 10 000 for the figures of `bench/RESULTS.md`. */
const calls = Number(process.env.LIMIT_CALLS ?? 400);
const holdMs = 3_000;
const atOnce = 32;
/** Of each kind: what is allowed, so that most of the calls, but not all, are beyond it. */
const allowed: Record<LimitName, number> = {
  requests_per_minute: calls / 4,
  requests_per_day: calls / 4,
  tokens_per_minute: calls * 5,
  tokens_per_day: calls * 5,
  concurrent: 8,
};
const names = Object.keys(allowed) as LimitName[];

describe('Limits over four relays', () => {
  let gateway: Gateway;
  /** Two in this process, and one in its own that may be killed. */
  const beside = stopSteps(createLogger({ service: 'relay', level: 'silent' }));
  let dying: ServiceProcess | undefined;
  let urls: string[];

  before(async function () {
    this.timeout(120_000);
    gateway = await startGateway({ RELAY_HOLD_MS: String(holdMs) });
    const models = names.flatMap((name) => [`model-${name}`, `channel-${name}`]);
    await gateway.options({
      ModelRatio: JSON.stringify({ ...modelRatios, ...Object.fromEntries(models.map((model) => [model, 1])) }),
      GroupLimits: JSON.stringify(Object.fromEntries(names.map((name) => [`group-${name}`, { [name]: allowed[name] }]))),
      ModelLimits: JSON.stringify(Object.fromEntries(names.map((name) => [`model-${name}`, { [name]: allowed[name] }]))),
    });
    await gateway.channels([
      { models: ['test-model', ...names.map((name) => `model-${name}`)], groups: ['default', ...names.map((name) => `group-${name}`)] },
      ...names.map((name) => ({ models: [`channel-${name}`], ...storedLimits({ [name]: allowed[name] }) })),
    ]);
    const logger = createLogger({ service: 'relay', level: 'silent' });
    const openBeside = async () =>
      `http://127.0.0.1:${await openRelay(loadConfig(relayEnv, gateway.env), { logger, onStop: beside.onStop })}`;
    dying = await startService('relay', gateway.env);
    urls = [gateway.url, await openBeside(), await openBeside(), dying.url];
    // The other relays have read all of it at their start; the first one is told.
    const probe = await gateway.user({ group: 'group-requests_per_day' });
    await eventually(
      async () => {
        const authorization = probe.token.authorization;
        const answer = await gateway.post('/v1/chat/completions', question({ model: 'test-model' }), { authorization });
        expect(answer.headers.get('x-ratelimit-limit-requests')).to.equal(String(allowed.requests_per_day));
        await gateway.redis.del(...limitKeys({ kind: 'group', name: 'group-requests_per_day' }));
      },
      { timeoutMs: 30_000 },
    );
  });
  after(async () => {
    await dying?.stop();
    await beside.stop();
    await gateway.stop();
  });
  beforeEach(() => gateway.provider.reset());

  const subjects: Record<string, (name: LimitName) => Promise<[TestUser, string]>> = {
    token: async (name) => [await gateway.user({ balance: 1e9, token: storedLimits({ [name]: allowed[name] }) }), 'test-model'],
    user: async () => [await gateway.user({ balance: 1e9 }), 'test-model'],
    group: async (name) => [await gateway.user({ balance: 1e9, group: `group-${name}` }), 'test-model'],
    model: async (name) => [await gateway.user({ balance: 1e9 }), `model-${name}`],
    channel: async (name) => [await gateway.user({ balance: 1e9 }), `channel-${name}`],
  };

  for (const [kind, callerOf] of Object.entries(subjects)) {
    it(`let through what a ${kind} may do and no more, of each kind`, async function () {
      this.timeout(600_000);
      for (const name of names) {
        const [caller, model] = await callerOf(name);
        if (kind === 'user') await limitUsers(name);
        gateway.provider.reset();
        gateway.provider.answers({ words: 10, promptTokens: 10, delayMs: name === 'concurrent' ? 10 : 0 });
        const { statuses, elapsedMs } = await limitedLoad({
          urls,
          calls,
          atOnce,
          headers: { authorization: caller.token.authorization },
          body: question({ model, max_tokens: 10 }),
        });
        const passed = statuses.get(200) ?? 0;
        expect(passed + (statuses.get(429) ?? 0), `${name} of a ${kind}: ${JSON.stringify([...statuses])}`).to.equal(calls);
        const used = name.startsWith('tokens') ? await tokensOf(caller) : passed;
        if (name === 'concurrent') {
          expect(gateway.provider.mostOpen(), `${name} of a ${kind}`).to.be.within(1, allowed.concurrent);
          expect(passed).to.be.at.least(allowed.concurrent);
        } else {
          // In any minute no more than that: a machine that takes longer for all the calls sees more than one.
          const stretches = name.endsWith('minute') ? Math.ceil(elapsedMs / 60_000) : 1;
          expect(used, `${name} of a ${kind}`).to.be.within(allowed[name] * 0.98, allowed[name] * stretches);
        }
        if (process.env.LIMIT_CALLS !== undefined) {
          console.log(
            `${name} of a ${kind}: ${calls} calls, ${passed} passed, ${used} of ${allowed[name]} used, ${Math.round((calls * 1000) / elapsedMs)} calls/s`,
          );
        }
      }
      if (kind === 'user') await gateway.options({ UserLimits: '{}' });
    });
  }

  /** Another limit, which nobody reaches, tells of each relay that it knows of these. */
  async function limitUsers(name: LimitName): Promise<void> {
    const [other, header] = name.startsWith('requests') ? ['tokens_per_day', 'tokens'] : ['requests_per_day', 'requests'];
    const mark = 1_000_000 + names.indexOf(name);
    await gateway.options({ UserLimits: JSON.stringify({ [name]: allowed[name], [other]: mark }) });
    for (const url of urls) {
      const { token } = await gateway.user();
      await eventually(async () => {
        const answer = await askAt(url, token.authorization);
        await answer.text();
        expect(answer.headers.get(`x-ratelimit-limit-${header}`)).to.equal(String(mark));
      });
    }
  }

  async function tokensOf(caller: TestUser): Promise<number> {
    const events = await gateway.events(caller);
    return events.reduce((sum, event) => sum + promptTokensOf(event.usage as Usage) + completionTokensOf(event.usage as Usage), 0);
  }

  it('forget the open calls of a relay that is killed, within the life of its holds', async () => {
    const caller = await gateway.user({ group: 'group-concurrent', token: storedLimits({ concurrent: 4 }) });
    const headers = { 'content-type': 'application/json', authorization: caller.token.authorization };
    if (dying === undefined) throw new Error('the fourth relay did not start');
    const { url } = dying;
    gateway.provider.answers({ refuseBy: 'hang' });
    for (let open = 1; open <= 4; open += 1) {
      const body = JSON.stringify(question());
      fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body }).catch(() => undefined); // its relay dies
      await eventually(() => expect(gateway.provider.calls).to.have.length(open));
    }
    const ask = () => gateway.post('/v1/chat/completions', question(), headers);
    await dying.kill9();
    gateway.provider.reset();
    const killedAt = await gateway.wallet.now();
    expect((await ask()).status).to.equal(429);
    const open = await gateway.redis.zrange(limitKeys({ kind: 'group', name: 'group-concurrent' })[1], 0, -1, 'WITHSCORES');
    for (let i = 1; i < open.length; i += 2) expect(Number(open[i])).to.be.at.most(killedAt + holdMs);
    await eventually(async () => expect((await ask()).status).to.equal(200), { timeoutMs: 20_000 });
  });
});
