import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('A caller who leaves', () => {
  let gateway: Gateway;
  let user: TestUser;
  let channelId: number;

  before(async () => {
    gateway = await startGateway({ UPSTREAM_DRAIN_BYTES: '20000' });
    user = await gateway.user();
    channelId = await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  /** Leaves after `chunks` pieces of the answer have come (0: before any), once `when` has happened. */
  async function leave(
    fields: Record<string, unknown>,
    { chunks = 0, when }: { chunks?: number; when?: () => Promise<unknown> } = {},
  ): Promise<void> {
    const leaving = new AbortController();
    const call = gateway
      .client(user.token)
      .chat.completions.create(question({ stream: true, ...fields }) as never, { signal: leaving.signal });
    call.catch(() => {}); // leaving is what we are here for
    await when?.();
    if (chunks > 0) {
      let come = 0;
      for await (const _ of (await call) as unknown as AsyncIterable<unknown>) if (++come >= chunks) break;
    }
    leaving.abort();
  }
  const isAsked = () => eventually(() => expect(gateway.provider.calls).to.have.length(1));
  const bill = () => gateway.bill(user);

  it('before the provider answers: the provider is let go, the call is free', async () => {
    gateway.provider.answers({ refuseBy: 'hang' });
    await leave({}, { when: isAsked });
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
    expect(await gateway.held(user)).to.equal(0);
    expect(await gateway.events(user)).to.have.length(0);
    await eventually(() => expect(gateway.provider.lastCall().outcome).to.equal('partial'));
  });

  it('in mid-stream: the rest is read, and the provider’s own count is charged', async () => {
    gateway.provider.answers({ words: 40, promptTokens: 9, paceMs: 5 });
    await leave({}, { chunks: 3 });
    expect(await bill()).to.include({ endReason: 'client_gone', usageSource: 'upstream', quota: 49 });
  });

  it('in mid-stream of a long answer: what was delivered is charged, by our own count', async () => {
    gateway.provider.answers({ words: 5000, promptTokens: 9, paceMs: 2 });
    await leave({}, { chunks: 3 });
    const event = await bill();
    expect(event).to.include({ endReason: 'client_gone', usageSource: 'estimated' });
    expect(event.quota).to.be.within(4, 200);
    await eventually(() => expect(gateway.provider.lastCall().outcome).to.equal('partial'));
  });

  it('in mid-stream of a channel that cancels: the provider is let go at once', async () => {
    await gateway.changeChannel(channelId, { setting: '{"on_abort":"cancel"}' });
    await delay(300);
    gateway.provider.answers({ words: 100, paceMs: 10 });
    await leave({}, { chunks: 3 });
    expect(await bill()).to.include({ endReason: 'client_gone', usageSource: 'estimated' });
    expect(gateway.provider.lastCall().sentTokens).to.be.lessThan(60);
    await gateway.changeChannel(channelId, { setting: '' });
  });

  it('of a whole answer that has come is charged as if he had stayed', async () => {
    gateway.provider.answers({ words: 10, chunkBytes: 40, paceMs: 20, promptTokens: 5 });
    await leave(
      { stream: false },
      { when: () => eventually(() => expect(gateway.provider.calls[0]?.outcome).to.equal('open')).then(() => delay(60)) },
    );
    expect(await bill()).to.include({ endReason: 'client_gone', usageSource: 'upstream', quota: 15 });
  });

  it('500 times, in every phase: sockets and open holds go back to zero, every delivery is paid once', async function () {
    this.timeout(120_000);
    gateway.provider.answers({ words: 30, promptTokens: 10, paceMs: 3 });
    const phases = [0, 0, 1, 3, 10];
    let left = 500;
    await Promise.all(
      Array.from({ length: 25 }, async () => {
        while (left-- > 0) await leave({}, { chunks: phases[left % phases.length], when: left % 2 ? () => delay(left % 7) : undefined });
      }),
    );
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0), { timeoutMs: 30_000 });
    const events = await gateway.events(user);
    expect(events.length).to.be.within(250, 500);
    expect(await gateway.held(user)).to.equal(events.reduce((sum, event) => sum + Number(event.quota), 0));
    expect(new Set(events.map((event) => event.id)).size).to.equal(events.length);
    await eventually(() => expect(gateway.provider.totals().open).to.equal(0), { timeoutMs: 10_000 });
    const answer = await gateway.post('/v1/chat/completions', question(), { authorization: user.token.authorization });
    expect(answer.status).to.equal(200);
  });
});
