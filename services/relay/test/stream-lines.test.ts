import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, sendRaw } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

const words = 40;

describe('Streams on the lines of callers', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e12 });
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  const asking = (version: string, headers = '') => {
    const body = JSON.stringify(question({ stream: true }));
    return `POST /v1/chat/completions HTTP/${version}\r\nHost: x\r\nAuthorization: ${user.token.authorization}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  /** The body of an answer in chunks. */
  const unchunked = (body: string): string => {
    let text = '';
    for (let at = 0; ; ) {
      const end = body.indexOf('\r\n', at);
      const length = Number.parseInt(body.slice(at, end), 16);
      if (length === 0) return text;
      expect(body.slice(end + 2 + length, end + 4 + length), 'what ends a chunk').to.equal('\r\n');
      text += body.slice(end + 2, end + 2 + length);
      at = end + 4 + length;
    }
  };
  const contentOf = (events: string): string[] => events.split('\n\n').filter((event) => /"content":"[^"]/.test(event));

  it('that ask for two at once get both, whole, one behind the other', async () => {
    gateway.provider.answers({ words, paceMs: 5 });
    const said = await sendRaw(gateway.url, asking('1.1') + asking('1.1', 'Connection: close\r\n'));
    const answers = said.split('HTTP/1.1 200 OK\r\n').slice(1);
    expect(answers).to.have.length(2);
    for (const answer of answers) {
      const events = unchunked(answer.slice(answer.indexOf('\r\n\r\n') + 4));
      expect(contentOf(events)).to.have.length(words);
      expect(events.endsWith('data: [DONE]\n\n')).to.equal(true);
    }
  });

  it('of HTTP/1.0 get it without chunks', async () => {
    gateway.provider.answers({ words });
    const said = await sendRaw(gateway.url, asking('1.0'));
    const events = said.slice(said.indexOf('\r\n\r\n') + 4);
    expect(said).to.not.contain('chunked');
    expect(contentOf(events)).to.have.length(words);
    expect(events.startsWith('data: ') && events.endsWith('data: [DONE]\n\n')).to.equal(true);
  });

  it('that are read late, and in pauses, get every byte', async () => {
    const piece = 'x'.repeat(50_000);
    const frames = Array.from({ length: 200 }, () => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: piece } }] })}`);
    const stop = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}`;
    gateway.provider.answersNext({ frames: [...frames, stop, 'data: [DONE]'] });
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write(asking('1.1'));
    let said = '';
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      const before = said.length >> 21;
      said += bytes.toString('latin1');
      if (said.length >> 21 > before) await delay(300);
      if (said.endsWith('\r\n0\r\n\r\n')) break;
    }
    const events = unchunked(said.slice(said.indexOf('\r\n\r\n') + 4));
    expect(contentOf(events).length).to.equal(frames.length);
    expect(events.length).to.be.greaterThan(frames.length * piece.length);
  });

  it('are used again behind a stream', async () => {
    gateway.provider.answers({ words: 3 });
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let said = '';
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1');
    });
    for (let asked = 1; asked <= 3; asked += 1) {
      socket.write(asking('1.1'));
      await eventually(() => expect(said.split('\r\n0\r\n\r\n')).to.have.length(asked + 1));
    }
    socket.destroy();
    expect(said.split('data: [DONE]')).to.have.length(4);
  });
});
