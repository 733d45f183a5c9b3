import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { metrics } from '@tollgate/runtime';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, framesOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

const data = (value: unknown) => `data: ${JSON.stringify(value)}`;
const chunk = (content: string) => data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stop = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

describe('Lines that go wrong on either side', () => {
  let gateway: Gateway;
  let user: TestUser;
  const ask = (fields: Record<string, unknown> = {}) =>
    gateway.post('/v1/chat/completions', question(fields), { authorization: user.token.authorization });
  const memory = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const buffered = async () => Number(/^relay_buffered_bytes (\d+)/m.exec(await metrics.metrics())?.[1]);

  before(async () => {
    gateway = await startGateway({
      RELAY_SLOW_READER_MS: '2000',
      UPSTREAM_SILENCE_MS: '8000',
      RELAY_HEARTBEAT_MS: '60000',
      RELAY_MAX_BUFFERED_BYTES: String(48 << 20),
      RELAY_MAX_ANSWER_BYTES: String(16 << 20),
    });
    user = await gateway.user({ balance: 1e12 });
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user({ balance: 1e12 });
  });

  /** Asks, and takes no byte of the answer. */
  function askAndReadNothing(fields: Record<string, unknown>): Socket {
    const body = JSON.stringify(question(fields));
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: ${user.token.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return socket;
  }

  it('100 readers who read nothing of fast streams: 5 MB each at most, charged for what left and no more', async function () {
    this.timeout(100_000);
    const frames = Array.from({ length: 400 }, () => chunk('x'.repeat(25_000)));
    gateway.provider.answers({ frames: [...frames, stop, 'data: [DONE]'] }); // 10 MB each
    const before = memory();
    const sockets = Array.from({ length: 100 }, () => askAndReadNothing({ stream: true }));
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, memory() - before);
    }, 100);
    await eventually(async () => expect(await gateway.events(user)).to.have.length(100), { timeoutMs: 90_000 });
    clearInterval(watch);
    expect(most).to.be.lessThan(500 << 20);
    const sent = sockets.map((socket) => socket.bytesRead + socket.readableLength);
    const events = (await gateway.events(user)) as { endReason: string; usage: { textOutput: number } }[];
    expect(sent.every((bytes) => bytes < 10 << 20)).to.equal(true);
    for (const { endReason, usage } of events) {
      expect(endReason).to.equal('client_gone');
      expect(usage.textOutput, 'of two and a half million').to.be.lessThan(2_400_000);
    }
    for (const socket of sockets) socket.destroy();
  });

  it('a reader who takes nothing of a long whole answer is cut off', async function () {
    this.timeout(30_000);
    gateway.provider.answers({ json: { choices: [{ index: 0, message: { content: 'word '.repeat(2_500_000) }, finish_reason: 'stop' }] } });
    const socket = askAndReadNothing({});
    await eventually(async () => expect(await gateway.events(user)).to.have.length(1), { timeoutMs: 15_000 });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await delay(4_000);
    socket.resume();
    await closed;
    expect(socket.bytesRead).to.be.lessThan(12_500_000);
  });

  describe('what providers send counts as memory: beyond the bound a clear end', () => {
    const twelve = async (fields: Record<string, unknown>) => {
      const asked = Array.from({ length: 12 }, async () => {
        const answer = await ask(fields);
        return { status: answer.status, text: await answer.text() };
      });
      const answers = await Promise.all(asked);
      const refused = answers.filter(({ status }) => status === 503);
      expect(refused.length, JSON.stringify(answers.map(({ status }) => status))).to.be.at.least(4);
      expect(refused[0]?.text).to.contain('service_unavailable');
      return answers;
    };

    it('of whole answers; what is refused is free, and no channel is blamed', async () => {
      const reported = await gateway.redis.llen('channel:failures');
      const content = 'x'.repeat(12 << 20);
      const text = JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] });
      gateway.provider.answers({ text, contentType: 'application/json', chunkBytes: 1 << 20, paceMs: 20 });
      const answers = await twelve({});
      expect(await gateway.events(user)).to.have.length(answers.filter(({ status }) => status === 200).length);
      expect(await gateway.redis.llen('channel:failures')).to.equal(reported);
      await eventually(async () => expect(await buffered(), 'all of it was let go of').to.equal(0));
    });

    it('of frames that do not end', async () => {
      const frames = [`data: ${' '.repeat(9 << 20)}`];
      gateway.provider.answers({ frames, breakAfter: 9, breakBy: 'hang', chunkBytes: 1 << 20, paceMs: 20 });
      await twelve({ stream: true });
      expect(await gateway.events(user)).to.have.length(0);
      await eventually(async () => expect(await buffered(), 'all of it was let go of').to.equal(0));
    });
  });

  it('lets go of a long prompt at the first content of its stream', async () => {
    const streams = 30;
    gateway.provider.answers({ frames: [chunk('a'), ...Array.from({ length: 200 }, () => ': on')], paceMs: 50, delayMs: 2_000 });
    const leaving = new AbortController();
    const prompt = 'prompt '.repeat(75_000);
    const asked = Array.from({ length: streams }, () =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: user.token.authorization },
        body: JSON.stringify(question({ stream: true, messages: [{ role: 'user', content: prompt }] })),
        signal: leaving.signal,
      }),
    );
    await eventually(async () => expect(await buffered()).to.be.at.least(prompt.length));
    const answers = await Promise.all(asked);
    await eventually(async () => expect(await buffered()).to.equal(0));
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    leaving.abort();
  });

  describe('a provider’s connection', () => {
    let server: Server;
    let model: string;
    let questions: { connection: number; onConnection: number }[];
    let models = 0;
    /** What it does with a question; `onConnection` counts those of one connection, from 1. */
    let take: (socket: Socket, seen: { connection: number; onConnection: number }) => void;
    const ok = JSON.stringify({
      choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 1 },
    });
    const answer = (socket: Socket, status = '200 OK', more = '') =>
      socket.write(`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${more}Content-Length: ${ok.length}\r\n\r\n${ok}`);
    const failures = async () => (await gateway.redis.lrange('channel:failures', 0, -1)).length;

    before(async () => {
      let connections = 0;
      server = createServer((socket) => {
        connections += 1;
        const connection = connections;
        let onConnection = 0;
        socket.on('error', () => undefined);
        socket.on('data', (bytes) => {
          if (!bytes.toString('latin1').startsWith('POST ')) return;
          onConnection += 1;
          questions.push({ connection, onConnection });
          take(socket, { connection, onConnection });
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    after(() => server.close());
    beforeEach(async () => {
      questions = [];
      models += 1;
      model = `line-${models}`;
      const { port } = server.address() as { port: number };
      await gateway.options({ RetryTimes: '0', ModelRatio: JSON.stringify({ [model]: 1, 'test-model': 1 }) });
      await gateway.channel({ models: [model], baseUrl: `http://127.0.0.1:${port}` });
      await untilServed(gateway, user.token, model);
    });

    it('that was kept and is closed as it is used is replaced by a new one, once, and nobody hears of it', async () => {
      take = (socket, { onConnection }) => {
        if (onConnection === 1) answer(socket);
        else socket.destroy();
      };
      expect((await ask({ model })).status).to.equal(200);
      const before = await failures();
      expect((await ask({ model })).status).to.equal(200);
      expect(questions.map(({ onConnection }) => onConnection)).to.deep.equal([1, 2, 1]);
      expect(await failures()).to.equal(before);
    });

    it('that is closed anew is the channel’s failure', async () => {
      take = (socket, { onConnection, connection }) => {
        if (onConnection === 1 && connection === questions[0]?.connection) answer(socket);
        else socket.resetAndDestroy();
      };
      expect((await ask({ model })).status).to.equal(200);
      const before = await failures();
      expect((await ask({ model })).status).to.equal(502);
      expect(questions).to.have.length(3);
      await eventually(async () => expect(await failures()).to.equal(before + 1));
    });

    it('that refuses a long body before it has read it tells why', async () => {
      const words = JSON.stringify({ error: { message: 'The prompt is too long', type: 'invalid_request_error' } });
      for (const isKept of [true, false]) {
        take = (socket) => {
          socket.pause();
          socket.write(
            `HTTP/1.1 413 Payload Too Large\r\nContent-Type: application/json\r\nContent-Length: ${words.length}\r\n\r\n${words}`,
          );
          if (!isKept) setTimeout(() => socket.resetAndDestroy(), 50);
        };
        const refusal = await ask({ model, messages: [{ role: 'user', content: 'word '.repeat(1 << 20) }] });
        expect(refusal.status).to.equal(413);
        expect((await errorOf(refusal)).message).to.contain('The prompt is too long');
      }
    });

    it('that says 100 Continue in pieces, unasked, is read over it, on a kept connection too', async () => {
      take = (socket) => {
        socket.write('HTTP/1.1 10');
        setTimeout(() => socket.write('0 Continue\r\nX: y\r\n\r'), 20);
        setTimeout(() => socket.write('\n'), 40);
        setTimeout(() => answer(socket), 60);
      };
      for (let call = 0; call < 3; call += 1) expect((await ask({ model })).status).to.equal(200);
      expect(questions.map(({ onConnection }) => onConnection)).to.deep.equal([1, 2, 3]);
    });

    it('that asks for a pause until a date is asked last until then', async () => {
      await gateway.channel({ models: [model], priority: -5 });
      await delay(200);
      take = (socket) => answer(socket, '429 Too Many Requests', `Retry-After: ${new Date(Date.now() + 30_000).toUTCString()}\r\n`);
      expect((await ask({ model })).status).to.equal(429);
      for (let call = 0; call < 3; call += 1) expect((await ask({ model })).status).to.equal(200);
      expect(questions, 'nobody asks it meanwhile').to.have.length(1);
    });

    it('is used again after a stream that ends', async () => {
      take = (socket) => {
        const body = `${chunk('a')}\n\n${stop}\n\ndata: [DONE]\n\n`;
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`,
        );
        setTimeout(() => socket.write('0\r\n\r\n'), 100);
      };
      for (let call = 0; call < 2; call += 1) {
        expect((await framesOf(await ask({ model, stream: true }))).at(-1)).to.equal('data: [DONE]');
        await delay(300);
      }
      const [first, second] = questions;
      expect(second?.connection).to.equal(first?.connection);
    });
  });
});
