import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { freePort } from '@tollgate/testing';
import { expect } from 'chai';
import { closeServer, startMetricsServer } from '../src/index.ts';

const graceMs = 200;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: here\r\n`;

/** What callers do that hold a connection open. */
const holders: Record<string, string> = {
  'says nothing': '',
  'has half a head': get('/whole').slice(0, -9),
  'has half a body': `${get('/whole').replace('GET', 'POST')}Content-Length: 100\r\n\r\nhalf`,
  'keeps alive what is answered': `${get('/whole')}\r\n`,
  'reads an answer that has no end': `${get('/endless')}\r\n`,
  'reads nothing of a large answer': `${get('/large')}\r\n`,
};

describe('a server that is closed', () => {
  for (const [what, sent] of Object.entries(holders)) {
    it(`waits ${graceMs} ms, and not for good, for a caller who ${what}`, async () => {
      const server = createServer((request, response) => {
        if (request.url === '/endless') return void response.write('data: 1\n\n');
        request.resume().once('end', () => response.end(request.url === '/large' ? Buffer.alloc(64 << 20) : 'whole'));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const caller = await hold((server.address() as AddressInfo).port, sent);
      if (/whole HTTP.*\r\n\r\n$/s.test(sent) || sent.includes('/endless')) await once(caller.resume(), 'data');
      const from = performance.now();
      await closeServer(server, graceMs);
      expect(performance.now() - from).to.be.below(graceMs + 1_500);
      caller.destroy();
    });
  }

  it('answers what was asked on a kept connection while it stood still, and says that it was the last', async () => {
    const server = createServer((_request, response) => response.end('whole'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const caller = await hold((server.address() as AddressInfo).port, `${get('/')}\r\n`);
    await once(caller, 'data');
    const closed = closeServer(server, 10_000);
    await setImmediate(); // timers run next, then incoming data
    caller.write(`${get('/')}\r\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); // stalls this process
    const [answer] = await once(caller, 'data');
    expect(String(answer))
      .to.match(/^HTTP\/1\.1 200 OK\r\n/)
      .and.include('Connection: close\r\n');
    await closed;
    caller.destroy();
  });

  it('may be the one of the metrics', async () => {
    const port = await freePort();
    const metrics = await startMetricsServer({ port, host: '127.0.0.1' });
    const caller = await hold(port, get('/metrics'));
    await metrics.stop();
    caller.destroy();
  });
});

describe('a process that is to end', () => {
  it('ends when its supervisor was gone before it listened for that', async function () {
    this.timeout(20_000);
    const child = run('setTimeout(() => life.run(async () => setInterval(() => {}, 1_000)), 300)');
    child.disconnect();
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });

  it('does not take the lack of a supervisor for one that is gone', async function () {
    this.timeout(20_000);
    const child = run(`life.run(async () => { setInterval(() => {}, 1_000); console.log('runs'); })`, ['ignore', 'pipe', 'inherit']);
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });

  it('ends though a thread is stuck, in a file that nobody writes', async function () {
    this.timeout(20_000);
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-stuck-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const child = run(`life.run(async () => { fs.readFile('${pipe}', () => {}); setInterval(() => {}, 1_000); process.send('stuck'); })`);
    await once(child, 'message');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).to.deep.equal([null, 'SIGKILL']);
    await rm(folder, { recursive: true });
  });
});

async function hold(port: number, sent: string): Promise<Socket> {
  const caller = connect(port, '127.0.0.1');
  caller.on('error', () => undefined); // the server cuts it
  await once(caller, 'connect');
  await new Promise((resolve) => caller.write(sent, resolve));
  return caller;
}

/** A process with a lifecycle. This process is its supervisor when there is an IPC channel. */
function run(code: string, stdio: ('ignore' | 'inherit' | 'pipe' | 'ipc')[] = ['ignore', 'ignore', 'inherit', 'ipc']): ChildProcess {
  const runtime = join(import.meta.dirname, '../src/index.ts');
  const whole = `
    import fs from 'node:fs';
    import { createLogger, lifecycle } from '${runtime}';
    const life = lifecycle({ logger: createLogger({ service: 'test', level: 'silent' }) });
    ${code};`;
  return spawn(process.execPath, ['--input-type=module', '--eval', whole], { stdio });
}
