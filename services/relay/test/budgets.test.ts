import type { BudgetUnit } from '@tollgate/contracts';
import { Budget, type BudgetDoc, Token } from '@tollgate/db';
import { createLogger, loadConfig, stopSteps } from '@tollgate/runtime';
import { eventually, freshId } from '@tollgate/testing';
import { budgetField, budgetState, findRun, openRun, runBudgetId, setRunLimit, walletKey } from '@tollgate/wallet';
import { expect } from 'chai';
import { relayEnv } from '../src/config.ts';
import { openRelay } from '../src/open.ts';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestToken, type TestUser, untilServed } from './support/gateway.ts';

describe('Budgets', () => {
  let gateway: Gateway;
  const logger = createLogger({ service: 'relay', level: 'silent' });
  const beside = stopSteps(logger);

  before(async () => {
    gateway = await startGateway();
    const user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(async () => {
    await beside.stop();
    await gateway.stop();
  });
  beforeEach(() => gateway.provider.reset());

  async function budget(user: TestUser, given: Partial<BudgetDoc> = {}): Promise<number> {
    const id = freshId();
    const fields: Partial<BudgetDoc> = {
      name: 'Monthly',
      unit: 'quota',
      amount: 1_000,
      window: 'month',
      timeZone: 'Asia/Shanghai',
      mode: 'hard',
    };
    const subject: Partial<BudgetDoc> = { subject: 'user', subjectId: String(user.id), userId: user.id };
    await Budget.create({ id, ...subject, ...fields, createdAt: new Date(), ...given });
    return id;
  }
  const ask = (user: TestUser, fields: Record<string, unknown> = {}, path = '/v1/chat/completions') =>
    gateway.post(path, question(fields), { authorization: user.token.authorization });
  /** Charges the calls of a user, as billing does it. */
  async function charged(user: TestUser, id: number): Promise<void> {
    const [event] = await gateway.events(user);
    const [use] = (event?.budgets ?? []) as { from: number; until: number }[];
    const buckets = [{ from: new Date(use?.from ?? 0), until: new Date(use?.until ?? 0), spent: Number(event?.quota), version: 1 }];
    const settlement = { userId: user.id, requestIds: [String(event?.id)], wallet: { balance: 1_000_000, version: 99 }, tokens: [] };
    await gateway.wallet.settle([{ ...settlement, budgets: [{ id: String(id), unit: 'quota', buckets }] }]);
  }
  const heldOf = async (user: TestUser, id: number | string, unit: BudgetUnit = 'quota') =>
    budgetState(await gateway.redis.hgetBuffer(walletKey(user.id), budgetField({ id: String(id), unit }))).held;

  for (const [unit, amount] of [
    ['quota', 1_000],
    ['requests', 10],
    ['tokens', 1_000],
  ] as const) {
    it(`200 parallel calls on a budget of ${unit} for ten: ten are answered, the rest refused`, async () => {
      gateway.provider.answers({ words: 90, promptTokens: 10, delayMs: 20 });
      const user = await gateway.user();
      const id = await budget(user, { unit, amount });
      const answers = await Promise.all(Array.from({ length: 200 }, () => ask(user, { max_tokens: 90 })));
      const refused = answers.filter(({ status }) => status === 429);
      expect(answers.filter(({ status }) => status === 200)).to.have.length(10);
      expect(refused).to.have.length(190);
      for (const answer of refused) expect((await errorOf(answer)).code).to.equal('budget_exceeded');
      const events = await gateway.events(user);
      expect(events.map(({ budgets }) => (budgets as { id: string }[])[0]?.id)).to.deep.equal(Array(10).fill(String(id)));
      expect(await heldOf(user, id, unit)).to.equal(amount);
    });
  }

  it('of 1 USD let 500 parallel calls over two relays spend at most that, and nearly all of it', async function () {
    this.timeout(60_000);
    const port = await openRelay(loadConfig(relayEnv, gateway.env), { logger, onStop: beside.onStop });
    const urls = [gateway.url, `http://127.0.0.1:${port}`];
    gateway.provider.answers({ reasoningTokens: 2_995, words: 5, promptTokens: 1_000, delayMs: 40 });
    const user = await gateway.user({ balance: 50_000_000 });
    const id = await budget(user, { amount: 500_000 });
    const messages = [{ role: 'user', content: 'word '.repeat(1_000) }];
    const headers = { authorization: user.token.authorization, 'content-type': 'application/json' };
    await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        const body = JSON.stringify(question({ max_tokens: 3_000, messages, stream: i % 4 === 0 }));
        await (await fetch(`${urls[i % 2]}/v1/chat/completions`, { method: 'POST', headers, body })).text();
      }),
    );
    const events = await gateway.events(user);
    const spent = events.reduce((sum, event) => sum + Number(event.quota), 0);
    expect(spent).to.be.within(485_000, 500_000);
    expect(await heldOf(user, id)).to.equal(spent);
  });

  it('are named in refusals with use, amount and reset, in headers that agents read', async () => {
    const user = await gateway.user();
    gateway.provider.answers({ words: 90, promptTokens: 10 });
    const id = await budget(user, { amount: 105, window: '5h', name: '预算 A' });
    expect((await ask(user, { max_tokens: 90 })).status).to.equal(200);
    await charged(user, id);
    const answer = await ask(user, { max_tokens: 90 }, '/v1/messages');
    expect(answer.status).to.equal(429);
    const { error } = (await answer.json()) as { error: { message: string; type: string } };
    expect(error.type).to.equal('rate_limit_error');
    expect(error.message).to.match(/^Budget "预算 A" reached: \$0\.0002 of \$0\.00021 used, \$\d/);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).to.include({ 'x-budget-name': encodeURIComponent('预算 A'), 'x-budget-limit': '105', 'x-budget-remaining': '5' });
    expect(Number(headers['retry-after'])).to.be.within(5 * 3600, 5 * 3600 + 300);
    expect(headers['x-should-retry']).to.equal('false');
    expect(headers).to.include({ 'anthropic-ratelimit-unified-status': 'rejected' });
  });

  it('that never reset refuse with 403 and no time to retry', async () => {
    const user = await gateway.user();
    await budget(user, { unit: 'requests', amount: 0, window: 'total' });
    const answer = await ask(user);
    expect(answer.status).to.equal(403);
    expect(answer.headers.get('retry-after')).to.equal(null);
    expect(answer.headers.get('x-should-retry')).to.equal('false');
    expect((await errorOf(answer)).code).to.equal('budget_used_up');
  });

  it('shorten an answer to the tokens that are left', async () => {
    gateway.provider.answers({ words: 3, promptTokens: 10 });
    const user = await gateway.user();
    const id = await budget(user, { unit: 'tokens', amount: 100, window: '1d' });
    const answer = await ask(user, { max_tokens: 500 });
    expect(answer.status).to.equal(200);
    expect((gateway.provider.lastCall().json as Record<string, unknown>).max_tokens)
      .to.be.a('number')
      .within(16, 100);
    expect(answer.headers.get('x-budget-remaining')).to.equal('0');
    const { max_tokens: sent } = gateway.provider.lastCall().json as { max_tokens: number };
    expect(answer.headers.get('x-tollgate-changed')).to.equal(`max_tokens: lowered to ${sent} (budget ${id})`);
    expect((await gateway.events(user))[0]?.changes).to.deep.equal([`max_tokens: lowered to ${sent} (budget ${id})`]);
  });

  it('apply to their models and their token only, and only hard ones refuse', async () => {
    gateway.provider.answers({ words: 3, promptTokens: 10 });
    const user = await gateway.user();
    await budget(user, { amount: 0, mode: 'soft' });
    await budget(user, { amount: 0, models: ['other-*'] });
    await budget(user, { amount: 0, subject: 'token', subjectId: String(freshId()) });
    expect((await ask(user)).status).to.equal(200);
  });

  it('and balances refuse a call that asks for all or nothing, where they would shorten it', async () => {
    gateway.provider.answers({ words: 3, promptTokens: 10 });
    const [user, poor] = [await gateway.user(), await gateway.user({ balance: 60 })];
    await budget(user, { unit: 'tokens', amount: 100 });
    const whole = (who: TestUser, fields = {}, policy = 'full-or-refuse') =>
      gateway.post('/v1/chat/completions', question({ max_tokens: 500, ...fields }), {
        authorization: who.token.authorization,
        'x-budget-policy': policy,
      });
    expect((await errorOf(await whole(user))).code).to.equal('budget_used_up');
    expect((await errorOf(await whole(poor))).code).to.equal('insufficient_user_quota');
    expect((await whole(user, {}, 'maybe')).status).to.equal(400);
    const answer = await whole(poor, {}, 'shorten');
    expect(answer.headers.get('x-tollgate-changed')).to.match(/^max_tokens: lowered to \d+ \(balance\)$/);
    const fits = await whole(user, { max_tokens: 50 });
    expect(fits.status).to.equal(200);
    expect(fits.headers.get('x-tollgate-changed')).to.equal(null);
  });

  it('get back what failed calls held', async () => {
    const user = await gateway.user();
    const id = await budget(user, { unit: 'requests', amount: 3 });
    gateway.provider.answers({ status: 400 });
    const answer = await ask(user);
    expect(answer.status, await answer.text()).to.equal(400);
    await eventually(async () => expect(await heldOf(user, id, 'requests')).to.equal(0));
  });

  describe('of runs', () => {
    const run = (
      user: TestUser,
      headers: Record<string, string>,
      { key = user.token.authorization, ...fields }: Record<string, unknown> = {},
    ) => gateway.post('/v1/chat/completions', question({ max_tokens: 90, ...fields }), { authorization: String(key), ...headers });
    const opened = (id: string, budget = '0.0005') => ({ 'x-run-id': id, 'x-run-budget': budget });
    const raise = async (tokenId: number, runId: string, limit: number) => {
      await setRunLimit(runBudgetId({ tokenId, runId }), limit);
      await gateway.announce('token', tokenId);
    };
    beforeEach(() => gateway.provider.answers({ words: 90, promptTokens: 10 }));

    it('hold parallel calls to the ceiling that the first call names, until it is raised', async () => {
      const user = await gateway.user();
      const first = await run(user, opened('r1'));
      expect(Object.fromEntries(first.headers)).to.include({ 'x-run-id': 'r1', 'x-run-budget': '0.0005', 'x-run-cost': '0.0002' });
      await Promise.all(Array.from({ length: 20 }, () => run(user, opened('r1', '99'))));
      const spent = await heldOf(user, runBudgetId({ tokenId: user.token.id, runId: 'r1' }));
      expect(spent).to.be.within(240, 250); // of an answer that is longer than its cap, no more is charged
      const refusal = await run(user, opened('r1'));
      expect(refusal.status).to.equal(403);
      expect(refusal.headers.get('x-should-retry')).to.equal('false');
      expect(Number(refusal.headers.get('x-run-remaining'))).to.be.below(0.00006);
      expect(await errorOf(refusal)).to.deep.include({ code: 'run_ceiling_reached' });
      await raise(user.token.id, 'r1', 1_000);
      await eventually(async () => expect((await run(user, { 'x-run-id': 'r1' })).status).to.equal(200));
    });

    it('are named in metadata, too, and by headers that the operator sets', async () => {
      const user = await gateway.user();
      expect((await run(user, { 'x-run-budget': '0.0002' }, { metadata: { run_id: 'm' } })).status).to.equal(200);
      expect((await run(user, {}, { metadata: { run_id: 'm' } })).status).to.equal(403);
      await gateway.options({ RunIdHeaders: 'X-Session' });
      await eventually(async () => expect((await run(user, { 'x-session': 'm' })).status).to.equal(403));
      await gateway.options({ RunIdHeaders: '' });
    });

    it('share one ceiling where their ids are made up on a token that has one', async () => {
      const user = await gateway.user({ token: { runBudget: 250 } });
      const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => run(user, i % 2 === 0 ? opened(`made-up-${i}`, '1') : {})));
      expect(await heldOf(user, runBudgetId({ tokenId: user.token.id, runId: '' }))).to.be.within(240, 250);
      const refused = answers.find(({ status }) => status === 403) as Response;
      expect((await errorOf(refused)).code).to.equal('run_ceiling_reached');
      await openRun({ tokenId: user.token.id, runId: 'known' }, { userId: user.id, limit: 500, openedBy: 'owner' });
      expect((await run(user, { 'x-run-id': 'known' })).status).to.equal(200);
    });

    it('end a stream with its cost as a comment where that is asked for', async () => {
      const user = await gateway.user();
      const wanted = { ...opened('s'), 'x-run-comment': 'true' };
      const text = await (await run(user, wanted, { stream: true })).text();
      expect(text).to.include(': run {"id":"s","budget":0.0005,"cost":0.0002,"remaining":0.0003}\n\n');
      expect(text.endsWith('data: [DONE]\n\n')).to.equal(true);
      expect(await (await run(user, opened('s'), { stream: true })).text()).not.to.include(': run');
    });

    it('refuse ids and budgets that are none', async () => {
      const user = await gateway.user();
      for (const headers of [opened('x'.repeat(129)), opened('r', '-1'), opened('r', '1e3'), { 'x-run-budget': '1' }]) {
        expect((await run(user, headers)).status, JSON.stringify(headers)).to.equal(400);
      }
    });

    it('have the calls of child tokens, which spend from their parent and never more than it may', async () => {
      const user = await gateway.user();
      const parent = await gateway.token(user, { remain: 500 });
      const child = await gateway.token(user, { parentId: parent.id, runId: 'c', modelLimitsEnabled: true, modelLimits: ['test-model'] });
      const other = await gateway.token(user, { parentId: parent.id });
      await budget(user, { subject: 'token', subjectId: String(other.id), amount: 120, window: 'total' });
      await openRun({ tokenId: parent.id, runId: 'c' }, { userId: user.id, limit: 200, openedBy: 'owner' });
      const asked = (key: TestToken, fields = {}) => run(user, {}, { key: key.authorization, ...fields });
      expect((await asked(child, { model: 'other-model' })).status).to.equal(404);
      expect((await asked(child)).status).to.equal(200);
      expect((await asked(child)).status).to.equal(200);
      expect((await errorOf(await asked(child))).code).to.equal('run_ceiling_reached');
      expect((await asked(other)).status).to.equal(200);
      expect((await errorOf(await asked(other))).code).to.equal('budget_used_up');
      expect((await asked(parent)).status).to.equal(200);
      const events = await gateway.events(user);
      expect(new Set(events.map(({ tokenId }) => tokenId))).to.deep.equal(new Set([parent.id]));
      expect(events.map(({ tokenName }) => tokenName)).to.include.members([`token-${child.id}`, `token-${other.id}`]);
      await Token.updateOne({ id: parent.id }, { $set: { status: 2 } });
      await gateway.announce('token', parent.id);
      await eventually(async () => expect((await asked(other)).status).to.equal(401));
    });
  });

  it('and the balance that a call would meet are told by an estimate, which sends and holds nothing', async () => {
    const user = await gateway.user({ balance: 10_000 });
    const id = await budget(user, { amount: 60, name: 'small' });
    const estimate = async (query: string, body: object, headers = {}) => {
      const answer = await gateway.post(`/v1/estimate${query}`, body, { authorization: user.token.authorization, ...headers });
      return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
    };
    const runs = { 'x-run-id': 'never opened', 'x-run-budget': '0.0001' };
    const chat = await estimate('', question({ max_tokens: 90 }), runs);
    expect(chat).to.include({ status: 200, model: 'test-model', max_output_tokens: 90, effect: 'shortened' });
    const { quota, budgets, cost } = chat as unknown as { quota: { least: number; most: number }; budgets: object[]; cost: object };
    expect(quota.most - quota.least).to.be.within(74, 80);
    expect(cost).to.deep.equal({ least: quota.least / 500_000, most: quota.most / 500_000, currency: 'USD' });
    expect(budgets.map((each) => ({ ...each, needs: undefined }))).to.deep.include.members([
      { id: String(id), name: 'small', unit: 'quota', amount: 60, used: 0, needs: undefined, effect: 'shortened' },
    ]);
    const gemini = { contents: [{ parts: [{ text: 'Hello' }] }], generationConfig: { maxOutputTokens: 20 } };
    const bodies: [string, object][] = [
      ['/v1/messages', question({ max_tokens: 20 })],
      ['/v1/responses', { model: 'test-model', input: 'Hello', max_output_tokens: 20 }],
      ['/v1beta/models/test-model:generateContent', gemini],
      ['/v1/embeddings', { model: 'embedding-model', input: 'Hello' }],
    ];
    for (const [path, body] of bodies)
      expect(await estimate(`?for=${encodeURIComponent(path)}`, body), path).to.include({ effect: 'none' });
    expect((await estimate('?for=/v1/nothing', {})).status).to.equal(400);
    expect((await estimate('', question({ model: 'unheard-of' }))).status).to.equal(404);
    expect(await heldOf(user, id)).to.equal(0);
    expect(await gateway.held(user)).to.equal(0);
    expect(await findRun({ tokenId: user.token.id, runId: 'never opened' })).to.equal(null);
    expect(gateway.provider.calls).to.have.length(0);
  });
});
