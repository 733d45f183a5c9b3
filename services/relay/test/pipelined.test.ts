import { connect, type Socket } from 'node:net';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

const data = (value: unknown) => `data: ${JSON.stringify(value)}`;
const chunk = (content: string) => data({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stop = data({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const frames = [chunk('Grüße, 世界 🎉'), chunk('plain'), stop, 'data: [DONE]'];

describe('Questions behind one another on one connection', () => {
  let gateway: Gateway;
  let user: TestUser;
  const sockets: Socket[] = [];

  before(async () => {
    gateway = await startGateway({ RELAY_SLOW_READER_MS: '2000', UPSTREAM_DRAIN_MS: '500' });
    user = await gateway.user({ balance: 1e12 });
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user({ balance: 1e12 });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const asked = (fields: Record<string, unknown>, head = '', version = '1.1') => {
    const body = JSON.stringify(question(fields));
    const heads = `Host: x\r\nAuthorization: ${user.token.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    return `POST /v1/chat/completions HTTP/${version}\r\n${heads}\r\n${head}\r\n${body}`;
  };
  const line = () => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  const allThatComes = async (bytes: string) => {
    const socket = line();
    socket.write(bytes);
    const pieces: Buffer[] = [];
    for await (const piece of socket) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  };

  it('are answered in their order, streams and whole ones, each paid once', async () => {
    gateway.provider.answersNext({ frames }, {}, { frames }, {});
    const last = 'Connection: close\r\n';
    const text = await allThatComes(asked({ stream: true }) + asked({}) + asked({ stream: true }) + asked({}, last));
    const kinds = [...text.matchAll(/^content-type: (\S+?)(?:;.*)?\r$/gim)].map(([, kind]) => kind);
    expect(kinds).to.deep.equal(['text/event-stream', 'application/json', 'text/event-stream', 'application/json']);
    expect(text.split('Grüße, 世界 🎉')).to.have.length(3);
    expect(text.split('data: [DONE]')).to.have.length(3);
    await eventually(async () => expect(await gateway.events(user)).to.have.length(4));
  });

  it('wait for the one before: who reads nothing of it has nothing asked, kept or charged for the rest', async () => {
    gateway.provider.answers({ frames: [...Array.from({ length: 400 }, () => chunk('x'.repeat(25_000))), stop, 'data: [DONE]'] }); // 10 MB each
    for (let reader = 0; reader < 5; reader += 1) {
      const socket = line();
      socket.pause();
      socket.write(asked({ stream: true }).repeat(4));
    }
    await eventually(async () => expect(await gateway.events(user)).to.have.length(5), { timeoutMs: 30_000 });
    expect(gateway.provider.calls).to.have.length(5);
    for (const event of (await gateway.events(user)) as { endReason: string }[]) expect(event.endReason).to.equal('client_gone');
  });

  it('are nobody’s any more when their caller leaves during the one before', async () => {
    gateway.provider.answers({ frames, breakAfter: 2, breakBy: 'hang' });
    const socket = line();
    socket.write(asked({ stream: true }).repeat(3));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await eventually(async () => expect(await gateway.events(user)).to.have.length(1), { timeoutMs: 30_000 });
    expect(gateway.provider.calls).to.have.length(1);
  });

  it('from before HTTP/1.1 get their stream as it is, ended by the end of the line', async () => {
    gateway.provider.answers({ frames });
    const text = await allThatComes(asked({ stream: true }, '', '1.0'));
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).to.equal(`${frames.join('\n\n')}\n\n`);
  });
});
