import { eventually } from '@tollgate/testing';
import { holdKey } from '@tollgate/wallet';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestToken, untilServed } from './support/gateway.ts';

describe('Money', () => {
  let gateway: Gateway;

  before(async () => {
    gateway = await startGateway();
    const user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  /** Statuses of parallel calls, each answered with `words` words. */
  async function storm(token: TestToken, calls: number, fields: Record<string, unknown>): Promise<Map<number, number>> {
    const statuses = new Map<number, number>();
    await Promise.all(
      Array.from({ length: calls }, async () => {
        const answer = await gateway.post('/v1/chat/completions', question(fields), { authorization: token.authorization });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status !== 200)
          expect((await errorOf(answer)).code).to.match(/^(insufficient_(user|token)_quota|token_quota_depleted)$/);
        else await answer.text();
      }),
    );
    return statuses;
  }
  const costOfOne = 10 + 90;

  for (const fields of [{}, { max_tokens: 90 }, { stream: true, max_tokens: 90 }]) {
    it(`200 parallel calls on a wallet for 10 (${JSON.stringify(fields)}): ten are answered, the rest clearly refused`, async () => {
      gateway.provider.answers({ words: 90, promptTokens: 10, delayMs: 20 });
      const user = await gateway.user({ balance: costOfOne * 10 });
      const statuses = await storm(user.token, 200, fields);
      expect(statuses.get(200)).to.equal(10);
      expect(statuses.get(403)).to.equal(190);
      const events = await gateway.events(user);
      const charged = events.reduce((sum, event) => sum + Number(event.quota), 0);
      expect(charged).to.equal(costOfOne * 10);
      expect(await gateway.held(user), 'held is what was charged, no more').to.equal(charged);
      expect(gateway.provider.totals().full).to.equal(10);
    });
  }

  it('200 parallel calls on a token for 10: the same', async () => {
    gateway.provider.answers({ words: 90, promptTokens: 10, delayMs: 20 });
    const user = await gateway.user({ token: { remain: costOfOne * 10 } });
    const statuses = await storm(user.token, 200, { max_tokens: 90 });
    expect(statuses.get(200)).to.equal(10);
    expect(statuses.get(403)).to.equal(190);
    expect((await gateway.events(user)).length).to.equal(10);
  });

  it('counts every answer that leaves, apart from its bill', async () => {
    gateway.provider.answers({ words: 20 });
    const user = await gateway.user();
    const { authorization } = user.token;
    const hourMs = 3_600_000;
    const begin = Math.floor(gateway.wallet.time() / hourMs) * hourMs;
    for (const fields of [{}, { stream: true }])
      await (await gateway.post('/v1/chat/completions', question(fields), { authorization })).text();
    gateway.provider.answers({ status: 500 });
    expect((await gateway.post('/v1/chat/completions', question(), { authorization })).status).to.be.at.least(500);
    gateway.provider.answers({ words: 200, delayMs: 20 });
    const leaving = new AbortController();
    const half = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      body: JSON.stringify(question({ stream: true })),
      headers: { authorization, 'content-type': 'application/json' },
    });
    await half.body?.getReader().read();
    leaving.abort();
    const answers = async () => {
      const hours = await Promise.all([begin, begin + hourMs].map((hour) => gateway.wallet.answers(hour)));
      return hours.reduce((sum, counted) => sum + (counted.get(user.id) ?? 0), 0);
    };
    await eventually(async () => expect(await answers()).to.equal(3), { timeoutMs: 20_000 });
    expect(await gateway.events(user)).to.have.length(3);
  });

  it('an empty wallet is refused before any provider is asked', async () => {
    const user = await gateway.user({ balance: 0 });
    const answer = await gateway.post('/v1/chat/completions', question(), { authorization: user.token.authorization });
    expect(answer.status).to.equal(403);
    expect(await errorOf(answer)).to.include({ code: 'insufficient_user_quota', type: 'insufficient_quota' });
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('asks for no longer an answer than the balance affords', async () => {
    gateway.provider.answers({ words: 3, promptTokens: 10 });
    const user = await gateway.user({ balance: 60 });
    const answer = await gateway.post('/v1/chat/completions', question({ max_tokens: 500, top_p: 0, seed: 0, unknown_field: [1] }), {
      authorization: user.token.authorization,
    });
    expect(answer.status).to.equal(200);
    const sent = gateway.provider.lastCall().json as Record<string, unknown>;
    expect(sent.max_tokens).to.be.a('number').within(16, 60);
    expect(sent).to.deep.include({ top_p: 0, seed: 0, unknown_field: [1] });
  });

  const absurd: [name: string, usage: unknown, source: string][] = [
    ['negative', { prompt_tokens: -100, completion_tokens: -5, total_tokens: -105 }, 'estimated'],
    ['1e18', { prompt_tokens: 1e18, completion_tokens: 1e18, total_tokens: 2e18 }, 'estimated'],
    ['fractional', { prompt_tokens: 1.5, completion_tokens: 2.5, total_tokens: 4 }, 'estimated'],
    ['a string', { prompt_tokens: '10', completion_tokens: '20', total_tokens: '30' }, 'estimated'],
    ['zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, 'counted'],
    ['missing', null, 'counted'],
    ['a list', [1, 2], 'counted'],
  ];
  for (const [name, usage, usageSource] of absurd) {
    for (const stream of [false, true]) {
      it(`usage that is ${name} ${stream ? 'in a stream' : 'in an answer'} is replaced by our own count`, async () => {
        gateway.provider.answers({ words: 20, usage });
        const user = await gateway.user();
        const answer = await gateway.post('/v1/chat/completions', question({ stream }), { authorization: user.token.authorization });
        expect(answer.status).to.equal(200);
        await answer.text();
        await eventually(async () => expect(await gateway.events(user)).to.have.length(1));
        const [event] = await gateway.events(user);
        expect(event).to.include({ usageSource, endReason: 'complete' });
        expect(event?.quota).to.be.within(20, 60);
        expect(await gateway.held(user)).to.equal(event?.quota);
      });
    }
  }

  it('once the balance gives no more, the note of a stream still follows what is delivered', async () => {
    gateway.provider.answers({ words: 6000, paceMs: 2, usage: null });
    const poor = await gateway.user({ balance: 700 });
    const answer = await gateway.post('/v1/chat/completions', question({ stream: true }), { authorization: poor.token.authorization });
    await eventually(async () => {
      const [key = ''] = await gateway.redis.keys(holdKey(poor.id, '*'));
      const { state, event = '{}' } = await gateway.redis.hgetall(key);
      expect(state).to.equal('open');
      expect((JSON.parse(event) as { quota?: number }).quota, 'growth is refused beyond 200').to.be.greaterThan(500);
    });
    await answer.text();
    await eventually(async () => expect((await gateway.events(poor))[0]).to.include({ endReason: 'balance' }));
  });

  it('holds what every choice may come to, and caps each of them', async () => {
    gateway.provider.answers({ words: 3, promptTokens: 10 });
    const user = await gateway.user({ balance: 1010 });
    const answer = await gateway.post('/v1/chat/completions', question({ n: 4, max_tokens: 500 }), {
      authorization: user.token.authorization,
    });
    expect(answer.status).to.equal(200);
    expect((gateway.provider.lastCall().json as { max_tokens: number }).max_tokens).to.equal(250);
  });

  it('a wallet that carries the longest answer feels nothing: no field is added', async () => {
    gateway.provider.answers({ words: 3, promptTokens: 10 });
    const user = await gateway.user({ balance: 1_000_000 });
    expect((await gateway.post('/v1/chat/completions', question(), { authorization: user.token.authorization })).status).to.equal(200);
    expect(gateway.provider.lastCall().json).to.have.all.keys('model', 'messages');
  });

  it('a failed call is free', async () => {
    const user = await gateway.user();
    for (const script of [
      { status: 500 },
      { status: 400 },
      { text: '<html>', contentType: 'text/html' },
      { text: '{"id":"x","cho', contentType: 'application/json' },
      { refuseBy: 'destroy' as const },
    ]) {
      gateway.provider.answers(script);
      for (const stream of [false, true]) {
        const answer = await gateway.post('/v1/chat/completions', question({ stream }), { authorization: user.token.authorization });
        expect(answer.status).to.be.at.least(400);
        await answer.text();
      }
    }
    await eventually(async () => expect(await gateway.held(user)).to.equal(0));
    expect(await gateway.events(user)).to.have.length(0);
  });
});
