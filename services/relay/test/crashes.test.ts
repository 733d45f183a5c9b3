import { setTimeout as delay } from 'node:timers/promises';
import { eventually, type RedisServer, type ServiceProcess, startRedis, startService } from '@tollgate/testing';
import { expect } from 'chai';
import { askAt } from './support/ask.ts';
import { callsOf, expectSettled } from './support/books.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { startBillingProcess } from './support/processes.ts';

/** Deaths at named points are in kill-points.test.ts; these come whenever they come. */
describe('What dies loses nothing', function () {
  this.timeout(120_000);
  let redis: RedisServer;
  let gateway: Gateway;
  let billing: ServiceProcess;
  let relay: ServiceProcess;
  let user: TestUser;
  const granted = 1_000_000;

  before(async () => {
    redis = await startRedis({ appendfsync: 'always' });
    gateway = await startGateway({ REDIS_URL: redis.url, BUS_URL: redis.url, RELAY_HOLD_MS: '2000' });
    await gateway.channel();
    const first = await gateway.user();
    await untilServed(gateway, first.token);
    billing = await startBillingProcess(gateway.env);
  });
  after(async () => {
    await billing?.stop();
    await gateway?.stop();
    await redis?.stop();
  });
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user({ balance: granted });
    relay = await startService('relay', gateway.env);
  });
  afterEach(() => relay.kill9());

  const ask = (fields?: Record<string, unknown>) => askAt(relay.url, user.token.authorization, fields);
  const logs = () => callsOf(user);
  /** Every call is charged, nothing is held, and the wallet is grants minus logs. */
  async function settled(calls: number): Promise<void> {
    await eventually(() => expectSettled(gateway, user, { calls, granted }), { timeoutMs: 60_000, everyMs: 250 }); // a bill of the dead is published again after 30 s
  }

  it('a relay killed right after the last byte: the answer is charged once', async () => {
    gateway.provider.answers({ words: 7, promptTokens: 10 });
    const answers = await Promise.all([ask(), ask({ stream: true }), ask(), ask({ stream: true })]);
    await Promise.all(answers.map((answer) => answer.text()));
    await relay.kill9();
    await settled(4);
    for (const row of await logs()) expect(row).to.include({ quota: 17, endReason: 'complete' });
  });

  it('a relay killed amid a response in the background: it has failed, nothing stays held, and what was delivered is charged', async () => {
    gateway.provider.answers({ words: 400, promptTokens: 10, paceMs: 20, chunkBytes: 60 });
    const { authorization } = user.token;
    const begun = await fetch(`${relay.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test-model', input: 'Hi', background: true }),
    });
    const { id } = (await begun.json()) as { id: string };
    await eventually(() => {
      if (gateway.provider.openSockets() === 0) throw new Error('the provider is not asked yet');
    });
    await delay(1_500);
    await relay.kill9();
    const failed = await eventually(async () => {
      const response = await gateway.client(user.token).responses.retrieve(id);
      if (response.status !== 'failed') throw new Error(`it is ${response.status}`);
      return response;
    });
    expect(failed.error?.code).to.equal('server_error');
    await settled(1);
    expect((await logs())[0]).to.include({ usageSource: 'estimated' });
  });

  it('billing killed under load: every answered call is charged once when it is back', async () => {
    gateway.provider.answers({ words: 5, promptTokens: 10 });
    const calls: Promise<Response>[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (let call = 0; call < 25; call += 1) calls.push(ask({ stream: call % 2 === 0 }));
      await Promise.all(calls.map(async (call) => (await call.then((answer) => answer.clone())).text()));
      if (round === 1) await billing.kill9();
    }
    billing = await startBillingProcess(gateway.env);
    await settled(100);
  });

  it('Redis restarted under load: calls are refused for a moment, what was answered is charged once', async () => {
    gateway.provider.answers({ words: 20, promptTokens: 10, paceMs: 5 });
    let answered = 0;
    let isOver = false;
    const callers = Array.from({ length: 8 }, async (_, at) => {
      while (!isOver) {
        const answer = await ask({ stream: at % 2 === 0 });
        const text = await answer.text();
        if (answer.status === 200 && (at % 2 === 1 || text.endsWith('[DONE]\n\n'))) answered += 1;
        else expect(answer.status === 503 || text.includes('"error"'), text).to.equal(true);
      }
    });
    await eventually(() => expect(answered).to.be.greaterThan(20));
    await redis.kill9();
    await redis.restart();
    const before = answered;
    await eventually(() => expect(answered).to.be.greaterThan(before + 20), { timeoutMs: 20_000 });
    isOver = true;
    await Promise.all(callers);
    await eventually(
      async () => {
        const rows = await logs();
        expect(rows.length).to.be.at.least(answered);
        expect(await gateway.held(user)).to.equal(0);
        const charged = rows.reduce((sum, row) => sum + (row.quota ?? 0) - (row.uncollected ?? 0), 0);
        expect((await gateway.wallet.balance(user.id)).balance).to.equal(granted - charged);
        expect(rows.filter(({ endReason }) => endReason === 'complete').length).to.be.at.least(answered);
      },
      { timeoutMs: 60_000 },
    );
  });

  it('SIGTERM: open answers end whole, new calls are refused, the rest ends in words and is paid', async () => {
    await relay.kill9();
    relay = await startService('relay', { ...gateway.env, RELAY_STOP_GRACE_MS: '1500' });
    gateway.provider.answersNext({ words: 30, promptTokens: 10, paceMs: 20 }, { words: 5000, promptTokens: 10, paceMs: 20 });
    const short = await ask({ stream: true });
    const long = await ask({ stream: true });
    const code = relay.stop();
    expect((await short.text()).endsWith('data: [DONE]\n\n')).to.equal(true);
    const text = await long.text();
    expect(text).to.contain('"error"').and.not.contain('[DONE]');
    expect(await code).to.equal(0);
    await settled(2);
    expect((await logs()).map(({ endReason }) => endReason).sort()).to.deep.equal(['complete', 'shutdown']);
  });
});
