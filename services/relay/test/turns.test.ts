import { eventually, type ServiceProcess, startService } from '@tollgate/testing';
import { expect } from 'chai';
import { turns } from '../src/quota/user-queue.ts';
import { askAt, errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, untilServed } from './support/gateway.ts';

describe('Turns of a small wallet', () => {
  let gateway: Gateway;

  before(async () => {
    gateway = await startGateway({ RELAY_TURN_MS: '20000' });
    await gateway.channel();
    await untilServed(gateway, (await gateway.user()).token);
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  it('a failed call ends its turn: what cannot be afforded afterwards is refused at once', async () => {
    const user = await gateway.user({ balance: 200 });
    const ask = (fields: Record<string, unknown> = {}) =>
      gateway.post('/v1/chat/completions', question(fields), { authorization: user.token.authorization });
    for (const script of [{ status: 500 }, { breakAfter: 0, breakBy: 'destroy' as const }, { text: '<html>', contentType: 'text/html' }]) {
      for (const stream of [false, true]) {
        gateway.provider.answersNext(script);
        const failed = await ask({ stream, max_tokens: 20 });
        expect(failed.status).to.be.at.least(500);
        await failed.text();
      }
    }
    const startedAt = performance.now();
    const refused = await ask({ messages: [{ role: 'user', content: 'word '.repeat(1000) }] });
    expect(await errorOf(refused)).to.include({ code: 'insufficient_user_quota' });
    expect(performance.now() - startedAt).to.be.lessThan(2000);
    gateway.provider.answers({ words: 20, promptTokens: 10 });
    expect((await ask({ max_tokens: 20 })).status, 'and what can be is answered').to.equal(200);
  });

  it('a call that waits is answered as soon as the one before it has failed', async () => {
    const user = await gateway.user({ balance: 200 });
    const ask = () => gateway.post('/v1/chat/completions', question({ max_tokens: 180 }), { authorization: user.token.authorization });
    gateway.provider.answersNext({ status: 500, delayMs: 300 }, { words: 10, promptTokens: 10 });
    const first = ask();
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(1));
    const startedAt = performance.now();
    const second = await ask();
    expect(performance.now() - startedAt).to.be.lessThan(5000);
    expect([(await first).status, second.status]).to.deep.equal([500, 200]);
  });

  it('relays wake each other', async () => {
    let other: ServiceProcess | undefined;
    try {
      other = await startService('relay', gateway.env);
      const { url } = other;
      const user = await gateway.user({ balance: 200 });
      const { authorization } = user.token;
      await eventually(async () => expect((await fetch(`${url}/v1/models`, { headers: { authorization } })).status).to.equal(200));
      gateway.provider.answersNext({ words: 10, promptTokens: 10, delayMs: 800 });
      gateway.provider.answers({ words: 10, promptTokens: 10 });
      const first = askAt(url, authorization, { max_tokens: 180 });
      await eventually(async () => expect(await gateway.openHolds(user)).to.equal(1));
      const startedAt = performance.now();
      const second = await askAt(gateway.url, authorization, { max_tokens: 180 });
      expect([(await first).status, second.status]).to.deep.equal([200, 200]);
      expect(performance.now() - startedAt).to.be.within(300, 10_000);
      const refusedAt = performance.now();
      const dear = [{ role: 'user', content: 'word '.repeat(1000) }];
      expect((await askAt(gateway.url, authorization, { messages: dear })).status, 'with nothing open anywhere').to.equal(403);
      expect(performance.now() - refusedAt).to.be.lessThan(2000);
    } finally {
      await other?.stop();
    }
  });

  it('keeps no more bodies of one user waiting than it is told, and forgets who has gone', async () => {
    const line = turns({ patienceMs: 10_000, mostBytes: 100 });
    const wish = (bytes: number) => ({ untilMs: performance.now() + 10_000, bytes, isFirst: false });
    expect(await line.wait(1, wish(10)), 'nothing is open').to.equal(false);
    line.taken(1);
    const waiting = line.wait(1, wish(60));
    expect(await line.wait(1, wish(60)), 'together too much').to.equal(false);
    expect(await line.wait(1, { ...wish(10), untilMs: performance.now() + 20 }), 'too late').to.equal(false);
    line.ended(1);
    expect(await waiting).to.equal(true);
    expect(line.users).to.equal(0);
  });
});
