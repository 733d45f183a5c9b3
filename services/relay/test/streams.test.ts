import { connect } from 'node:net';
import { eventually, wireBytes, wireSample } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, framesOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Streams', () => {
  let gateway: Gateway;
  let user: TestUser;
  const ask = (fields: Record<string, unknown> = {}) =>
    gateway.post('/v1/chat/completions', question({ stream: true, ...fields }), { authorization: user.token.authorization });
  /** The bill of the user's only call. */
  const bill = () => gateway.bill(user);

  before(async () => {
    gateway = await startGateway({ RELAY_HEARTBEAT_MS: '300', UPSTREAM_SILENCE_MS: '1500', RELAY_SLOW_READER_MS: '1500' });
    user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  for (const name of ['openai/chat-stream', 'deepseek/reasoner-stream', 'openrouter/chat-stream']) {
    for (const chunkBytes of [1, 3, 7, 64, 100_000]) {
      it(`${name} in pieces of ${chunkBytes} bytes arrives byte for byte`, async () => {
        gateway.provider.answers({ case: name, chunkBytes });
        const answer = await ask({ stream_options: { include_usage: true } });
        expect(answer.status).to.equal(200);
        expect(answer.headers.get('content-type')).to.contain('text/event-stream');
        const frames = (await answer.text()).replaceAll(': ping\n\n', ''); // a busy machine's piece may come that late
        expect(frames).to.equal(wireBytes(wireSample(name).response.bodyFile).toString('utf8'));
        const { usage } = wireSample(name).expect ?? {};
        const { usage: charged, usageSource } = (await bill()) as { usage: Record<string, number>; usageSource: string };
        expect(usageSource).to.equal('upstream');
        expect(Object.values(charged).reduce((sum, count) => sum + count, 0)).to.equal(usage?.total_tokens);
      });
    }
  }

  it('asks for the usage and keeps it to itself when the caller did not ask', async () => {
    gateway.provider.answers({ words: 3, promptTokens: 9 });
    const frames = await framesOf(await ask());
    expect(frames.some((frame) => frame.includes('"usage"'))).to.equal(false);
    expect(frames.at(-1)).to.equal('data: [DONE]');
    expect(gateway.provider.lastCall().json).to.deep.include({ stream_options: { include_usage: true } });
    expect(await bill()).to.include({ quota: 12, usageSource: 'upstream' });
  });

  it('adds the usage that the caller asked for when the provider gives none', async () => {
    gateway.provider.answers({ words: 3, usage: null });
    const frames = await framesOf(await ask({ stream_options: { include_usage: true } }));
    const usage = JSON.parse(frames.at(-2)?.slice('data: '.length) ?? '{}') as { choices: unknown[]; usage: { total_tokens: number } };
    expect(usage.choices).to.deep.equal([]);
    expect(usage.usage.total_tokens).to.equal((await bill()).quota);
  });

  it('keeps the line alive with comments while the provider thinks', async () => {
    gateway.provider.answers({ words: 2, delayMs: 1200 });
    const text = await (await ask()).text();
    expect(text.startsWith(': ping\n\n')).to.equal(true);
    expect(text.endsWith('data: [DONE]\n\n')).to.equal(true);
  });

  it('ends a stream that the provider has finished without [DONE] with one of its own', async () => {
    gateway.provider.answers({ words: 2, noDone: true });
    const frames = await framesOf(await ask());
    expect(frames.at(-1)).to.equal('data: [DONE]');
    expect(await bill()).to.include({ endReason: 'complete' });
  });

  for (const breakBy of ['destroy', 'end', 'error', 'hang'] as const) {
    it(`a provider that breaks off in mid-stream (${breakBy}): an error event, no [DONE], and what came is paid`, async () => {
      gateway.provider.answers({ words: 50, breakAfter: 20, breakBy });
      const answer = await ask();
      expect(answer.status).to.equal(200);
      const frames = (await framesOf(answer)).filter((frame) => !frame.startsWith(':'));
      expect(frames.at(-1))
        .to.contain('"error"')
        .and.to.match(/request id: \w+/);
      expect(frames.join('')).not.to.contain('[DONE]');
      const event = await bill();
      expect(event).to.include({ endReason: breakBy === 'hang' ? 'timeout' : 'upstream_died', usageSource: 'estimated' });
      expect((event.usage as { textOutput: number }).textOutput).to.be.within(20, 60);
    });

    it(`a provider that breaks off before any content (${breakBy}): a clean error, free of charge`, async () => {
      gateway.provider.answers({ words: 50, breakAfter: 0, breakBy });
      const answer = await ask();
      const text = await answer.text();
      if (breakBy === 'hang')
        expect(text).to.contain('"error"'); // comments had gone out by then
      else expect(answer.status).to.be.at.least(500);
      expect(text).not.to.contain('[DONE]');
      await eventually(async () => expect(await gateway.held(user)).to.equal(0));
      expect(await gateway.events(user)).to.have.length(0);
    });
  }

  it('passes a frame of 5 MB', async () => {
    gateway.provider.answers({ words: 1, bigFrameBytes: 5 << 20 });
    const text = await (await ask()).text();
    expect(text.length).to.be.greaterThan(5 << 20);
    expect(text.endsWith('data: [DONE]\n\n')).to.equal(true);
  });

  it('refuses a frame that never ends', async () => {
    gateway.provider.answers({ frames: [`data: ${'x'.repeat(12 << 20)}`, 'data: [DONE]'] });
    const told = await (await ask()).text(); // an error, or its event where a comment kept the line alive before
    expect(told).to.contain('"upstream_bad_answer"').and.not.contain('[DONE]');
  });

  it('answers an error that came with status 200 and no stream as what it is', async () => {
    gateway.provider.answers({ json: { error: { message: 'no such thing', type: 'invalid_request_error', code: null } } });
    const answer = await ask();
    expect(answer.status).to.equal(400);
    expect((await errorOf(answer)).message).to.contain('no such thing');
    expect(await gateway.events(user)).to.have.length(0);
  });

  it('gives a whole answer to a caller who wanted a stream as a stream of one chunk, and one for its end', async () => {
    gateway.provider.answers({ case: 'openai/chat' });
    const frames = await framesOf(await ask({ stream_options: { include_usage: true } }));
    expect(frames).to.have.length(4);
    expect(JSON.parse(frames[0]?.slice(6) ?? '').choices[0].delta.content).to.be.a('string');
    expect(JSON.parse(frames[1]?.slice(6) ?? '').choices[0]).to.deep.include({ delta: {}, finish_reason: 'stop' });
    expect(JSON.parse(frames[2]?.slice(6) ?? '')).to.have.property('usage');
    expect(await bill()).to.include({ endReason: 'complete', usageSource: 'upstream' });
  });

  it('ends a stream that the balance no longer carries, cleanly, and never charges more than there was', async () => {
    gateway.provider.answers({ words: 6000, paceMs: 0, usage: null });
    const poor = await gateway.user({ balance: 700 });
    const answer = await gateway.post('/v1/chat/completions', question({ stream: true }), { authorization: poor.token.authorization });
    const frames = await framesOf(answer);
    expect(frames.at(-1)).to.equal('data: [DONE]');
    expect(frames.at(-2)).to.contain('"finish_reason":"length"');
    expect(frames.length).to.be.lessThan(3000);
    await eventually(async () => expect(await gateway.events(poor)).to.have.length(1));
    expect((await gateway.events(poor))[0]).to.include({ endReason: 'balance' });
    expect(await gateway.held(poor)).to.be.at.most(700);
  });

  it('cuts off a caller who takes nothing, and charges what was delivered', async () => {
    const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word '.repeat(100_000) } }] })}`;
    gateway.provider.answers({ frames: [...Array.from({ length: 60 }, () => frame), 'data: [DONE]'] });
    const body = JSON.stringify(question({ stream: true }));
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: ${user.token.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.pause();
    const event = await bill();
    expect(event.endReason).to.equal('client_gone');
    expect(event.quota).to.be.greaterThan(0);
    socket.destroy();
  });
});
