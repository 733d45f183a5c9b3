import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { publicPortMessages } from '@tollgate/runtime';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { firstInheritedFd } from '../supervisor/managed-process.ts';
import { openPublicPort, type PublicPort } from '../supervisor/public-port.ts';

/** A relay as the supervisor sees it: answers with the path and the address of its caller. */
const relayScript = `
  const { createServer } = require('node:http');
  const messages = ${JSON.stringify(publicPortMessages)};
  const server = createServer((request, response) => response.end(request.url + ' ' + request.socket.remoteAddress));
  const listens = () => process.send(messages.listens, server._handle);
  process.on('message', (message, socket) => {
    if (message === messages.connection) server.emit('connection', socket);
    if (message === messages.probe) process.send(messages.lives);
    if (message === messages.listensAgain) listens();
  });
  server.listen({ fd: ${firstInheritedFd} }, () => {
    listens();
    process.send(messages.answers);
  });
  process.on('SIGUSR2', () => server.close(() => undefined));
  process.on('SIGUSR2', () => process.send(messages.leaves));
`;

describe('the public port while no relay answers', function () {
  this.timeout(30_000);
  let publicPort: PublicPort;
  let relay: ChildProcess;

  before(async () => {
    publicPort = await openPublicPort(0, '127.0.0.1');
    relay = await startRelay();
  });
  after(() => {
    relay.kill('SIGKILL');
    publicPort.close();
  });

  async function startRelay(): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['--eval', relayScript], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'ignore', publicPort.fd],
    });
    publicPort.follow(child);
    await messageOf(child, publicPortMessages.answers);
    return child;
  }

  function messageOf(child: ChildProcess, wanted: string): Promise<void> {
    return new Promise((resolve) => child.on('message', (message) => message === wanted && resolve()));
  }

  async function kill(): Promise<void> {
    const gone = once(relay, 'exit');
    relay.kill('SIGKILL');
    await gone;
  }

  function ask(path: string, options: { headers?: Record<string, string>; body?: string } = {}) {
    const sentAt = performance.now();
    return new Promise<{ status: number; text: string; headers: Record<string, unknown>; ms: number }>((resolve, reject) => {
      const { headers = {}, body } = options;
      const call = request({ host: '127.0.0.1', port: publicPort.port, path, headers, agent: false, method: body ? 'POST' : 'GET' });
      call.once('error', reject).once('response', async (response) => {
        let text = '';
        for await (const piece of response) text += String(piece);
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers, ms: performance.now() - sentAt });
      });
      call.end(body);
    });
  }

  it('gives calls that wait to the next relay, which sees the address of the caller', async () => {
    expect((await ask('/before')).text).to.equal('/before 127.0.0.1');
    await kill();
    const waiting = ask('/waited', { body: 'x'.repeat(1_000_000) });
    relay = await startRelay();
    const { status, text, ms } = await waiting;
    if (status === 200) expect(text).to.equal('/waited 127.0.0.1');
    else expect(ms).to.be.at.least(850); // the machine took longer to start a process
    expect((await ask('/after')).text).to.equal('/after 127.0.0.1');
  });

  it('answers 503 with Retry-After when no relay comes', async () => {
    await kill();
    const big = 'x'.repeat(5_000_000);
    const [page, chat, large] = await Promise.all([
      ask('/', { headers: { accept: 'text/html', 'accept-language': 'zh-CN' } }),
      ask('/v1/chat/completions', { body: '{}' }),
      ask('/v1/messages', { body: big }),
    ]);
    for (const { status, headers, ms } of [page, chat, large]) {
      expect(status).to.equal(503);
      expect(headers).to.include({ 'retry-after': '2', connection: 'close' });
      expect(ms).to.be.within(850, 3_000);
    }
    expect(page.text).to.contain('relay').and.to.contain('http-equiv="refresh"').and.to.contain('zh-CN');
    for (const { text } of [chat, large]) {
      const { success, type, error } = JSON.parse(text);
      expect({ success, type, code: error.code, message: error.message }).to.deep.equal({
        success: false,
        type: 'error',
        code: 'service_unavailable',
        message: 'The service is unavailable, please try again soon',
      });
    }
    relay = await startRelay();
    expect((await ask('/again')).status).to.equal(200);
  });

  it('answers while the only relay finishes its calls and accepts no more', async () => {
    const left = messageOf(relay, publicPortMessages.leaves);
    relay.kill('SIGUSR2');
    await left;
    expect((await ask('/leaving')).status).to.equal(503);
    await kill();
    relay = await startRelay();
    expect((await ask('/again')).status).to.equal(200);
  });

  it('answers 503 within a second while the only relay hangs, then goes on', async () => {
    relay.kill('SIGSTOP');
    await eventually(async () => expect((await ask('/hangs')).status).to.equal(503), { timeoutMs: 10_000 });
    const { ms, headers } = await ask('/still-hangs');
    expect(headers).to.include({ 'retry-after': '2' });
    expect(ms).to.be.within(250, 900);
    const waiting = ask('/goes-on');
    relay.kill('SIGCONT');
    await waiting;
    await eventually(async () => expect((await ask('/again')).text).to.equal('/again 127.0.0.1'), { timeoutMs: 10_000 });
    relay.kill('SIGSTOP'); // the descriptor for the next time came with the first sign of life
    await eventually(async () => expect((await ask('/hangs')).status).to.equal(503), { timeoutMs: 10_000 });
    relay.kill('SIGCONT');
    await eventually(async () => expect((await ask('/again')).status).to.equal(200), { timeoutMs: 10_000 });
  });

  it('is closed when the supervisor stops', async () => {
    await kill();
    publicPort.close();
    const refused = await ask('/late').catch((error: NodeJS.ErrnoException) => error.code);
    expect(refused).to.equal('ECONNREFUSED');
  });
});
