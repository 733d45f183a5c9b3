import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { eventually, skipBecause } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { stillRuns } from '../bootstrap/process-identity.mjs';
import { type Command, type Installation, installation, logOf } from './tollgate.ts';

describe('one machine', function () {
  this.timeout(240_000);
  let here: Installation;
  let running: Command;

  before(async () => {
    here = await installation();
    running = await here.start();
  });
  after(() => here.remove());

  it('starts everything and tells the address, the first login and a call to try', async () => {
    const { address } = here.state();
    expect(running.output())
      .to.contain(address)
      .and.to.match(/First login +root, password: 123456/)
      .and.to.contain(`curl ${address}/v1/`);
    expect((await fetch(`${address}/readyz`)).status).to.equal(200);
  });

  it('has all on sockets that only its user may open, Redis with a password besides, and one port, which is the relays’', async function () {
    for (const { name } of here.state().processes) {
      const socket = join(here.dataDir, 'run', `${name}.sock`);
      expect(statSync(socket).isSocket(), name).to.equal(true);
      expect(statSync(join(socket, '..')).mode & 0o777).to.equal(0o700);
    }
    const stranger = new Redis(join(here.dataDir, 'run/redis.sock'), { retryStrategy: () => null });
    stranger.on('error', () => {}); // the command says it, too
    expect(await stranger.ping().catch((error: Error) => error.message)).to.contain('NOAUTH');
    stranger.disconnect();
    if (process.platform !== 'linux') return skipBecause(this, `${process.platform} has no /proc, which shows the ports of a process`);
    const publicPort = Number(new URL(here.state().address).port);
    for (const { name, pid } of here.state().processes) {
      expect(listeningPorts(pid), name).to.deep.equal(name === 'relay' ? [publicPort] : []);
    }
  });

  it('plays in the playground with the session of a browser, and with nothing else', async () => {
    const { address } = here.state();
    const login = await fetch(`${address}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: '123456' }),
    });
    const cookie = login.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const play = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ model: 'nobody-serves-this', group: 'default', messages: [{ role: 'user', content: 'Hi' }] });
      const answer = await fetch(`${address}/pg/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      return { status: answer.status, ...((await answer.json()) as { error: { code: string } }).error };
    };
    expect(await play({ cookie, 'new-api-user': '1', origin: address })).to.include({ status: 404, code: 'model_not_found' });
    expect(await play({ cookie, 'new-api-user': '2' })).to.include({ status: 401 });
    expect(await play({ cookie, 'new-api-user': '1', origin: 'https://evil.example' })).to.include({ status: 403, code: 'origin_refused' });
    expect(await play({ 'new-api-user': '1' })).to.include({ status: 401, code: 'not_logged_in' });
  });

  it('answers API calls and passes what is the console’s on to it', async () => {
    const { address } = here.state();
    expect(await (await fetch(`${address}/api/status`)).json()).to.have.property('success', true);
    const call = await fetch(`${address}/v1/models`, { headers: { authorization: 'Bearer sk-unknown' } });
    expect(call.status).to.equal(401);
  });

  it('writes the trace that a caller names into the line of his call, and nothing that is no trace', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const ask = async (traceparent: string) => {
      const headers = { authorization: 'Bearer sk-unknown', 'content-type': 'application/json', traceparent };
      const answer = await fetch(`${here.state().address}/v1/chat/completions`, { method: 'POST', headers, body: '{}' });
      await answer.text();
      return answer.headers.get('x-oneapi-request-id') ?? 'none';
    };
    const [traced, untraced] = [await ask(`00-${trace}-00f067aa0ba902b7-01`), await ask(`00-"},{"${trace}`)];
    await eventually(() => {
      const lines = logOf(here.dataDir, 'relay').split('\n');
      const lineOf = (id: string) => lines.find((line) => line.includes(`"requestId":"${id}"`)) ?? expect.fail('no line yet');
      expect(lineOf(traced)).to.contain(`"traceId":"${trace}"`);
      expect(lineOf(untraced)).not.to.contain('traceId');
    });
  });

  it('lists every process with its pid, uptime and address', async () => {
    const status = here.run(['status']);
    expect(await status.ended).to.equal(0);
    for (const { name, pid, address } of here.state().processes) {
      expect(status.output()).to.match(new RegExp(`^${name} +ready +${pid} .*${address}`, 'm'));
    }
  });

  it('keeps its secrets to itself', () => {
    expect(statSync(join(here.dataDir, 'secrets.json')).mode & 0o777).to.equal(0o600);
    const { redisPassword, masterKey } = JSON.parse(readFileSync(join(here.dataDir, 'secrets.json'), 'utf8'));
    for (const { pid } of here.state().processes) {
      if (process.platform !== 'linux') return;
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        .to.not.contain(redisPassword)
        .and.to.not.contain(masterKey);
    }
  });

  it('says on a second start that it is running, and where', async () => {
    const second = here.run(['start']);
    expect(await second.ended).to.equal(1);
    expect(second.output()).to.contain(`running already: ${here.state().address}`);
    expect((await fetch(`${here.state().address}/readyz`)).status).to.equal(200);
  });

  it('names the port and the setting when the port is taken', async () => {
    const other = await installation();
    const squatter = createServer().listen(0, '127.0.0.1');
    await eventually(() => expect(squatter.listening).to.equal(true));
    const { port } = squatter.address() as { port: number };
    const refused = other.run(['start'], { env: { PORT: String(port) } });
    expect(await refused.ended).to.equal(1);
    expect(refused.output()).to.contain(`Port ${port} on 127.0.0.1 is taken`).and.to.contain('PORT=');
    squatter.close();
    await other.remove();
  });

  for (const name of ['relay', 'billing', 'console', 'redis', 'store']) {
    it(`starts ${name} again when it dies, and says so`, async () => {
      const before = here.pidOf(name);
      process.kill(before, 'SIGKILL');
      await eventually(() => expect(running.output()).to.match(new RegExp(`^${name} .*starting it again`, 'm')), { timeoutMs: 60_000 });
      await eventually(
        () => {
          const record = here.state().processes.find((each) => each.name === name);
          expect(record).to.include({ state: 'ready', restarts: 1 });
          expect(record?.pid).to.not.equal(before);
        },
        { timeoutMs: 60_000 },
      );
      await eventually(async () => expect(await here.run(['status']).ended).to.equal(0), { timeoutMs: 60_000 });
    });
  }

  it('leaves nothing running for good when the supervisor is killed, and starts again on the same data', async () => {
    const { supervisor, processes } = here.state();
    const secrets = readFileSync(join(here.dataDir, 'secrets.json'), 'utf8');
    process.kill(supervisor.pid, 'SIGKILL');
    running = await here.start(); // at once: the new supervisor waits for what is left of the old one
    for (const old of processes) expect(stillRuns(old), old.name).to.equal(false);
    expect(readFileSync(join(here.dataDir, 'secrets.json'), 'utf8')).to.equal(secrets);
    expect(running.output())
      .to.match(/Sign in +as before; root, if nobody changed its password/)
      .and.not.to.contain('First login');
  });

  it('ends its engines by itself, after the services, when the supervisor is killed and nobody starts it again', async () => {
    const { supervisor, processes } = here.state();
    process.kill(supervisor.pid, 'SIGKILL');
    await eventually(() => expect(processes.filter(stillRuns).map(({ name }) => name)).to.deep.equal([]), { timeoutMs: 90_000 });
    running = await here.start();
  });

  it('stops in reverse order on SIGTERM and leaves nothing behind', async () => {
    const { processes } = here.state();
    running.child.kill('SIGTERM');
    expect(await running.ended).to.equal(0);
    expect(processes.filter(stillRuns)).to.deep.equal([]);
    expect(here.state().processes.map(({ state }) => state)).to.deep.equal(processes.map(() => 'stopped'));
    expect(await here.run(['status']).ended).to.equal(1);
  });

  it('can be stopped from another terminal, and a second one waits for the same end', async () => {
    running = await here.start();
    const relay = here.pidOf('relay');
    process.kill(relay, 'SIGSTOP'); // so it takes its time
    const stops = [here.run(['stop'])];
    await eventually(() => expect(running.output()).to.contain('stopping (what is under way'), { timeoutMs: 60_000 });
    await eventually(async () => expect(await here.run(['status']).ended).to.equal(1), { timeoutMs: 60_000 }); // later than one Ctrl-C may echo
    stops.push(here.run(['stop']));
    await eventually(() => expect(stops[1]?.output()).to.contain('is stopping already'), { timeoutMs: 60_000 });
    process.kill(relay, 'SIGCONT');
    for (const { ended } of stops) expect(await ended).to.equal(0);
    expect(await running.ended).to.equal(0);
    expect(running.output()).to.not.contain('Stopping at once');
  });

  it('wipes with --fresh only when the word was typed', async () => {
    const secrets = readFileSync(join(here.dataDir, 'secrets.json'), 'utf8');
    const declined = here.run(['start', '--fresh'], { input: 'yes\n' });
    expect(await declined.ended).to.equal(1);
    expect(declined.output()).to.contain('Nothing was deleted');
    expect(readFileSync(join(here.dataDir, 'secrets.json'), 'utf8')).to.equal(secrets);

    const wiped = here.run(['start', '--fresh'], { input: 'wipe\n' });
    await eventually(() => expect(wiped.output()).to.contain('Tollgate is ready'), { timeoutMs: 120_000 });
    expect(readFileSync(join(here.dataDir, 'secrets.json'), 'utf8')).to.not.equal(secrets);
    wiped.child.kill('SIGINT');
    expect(await wiped.ended).to.equal(0);
  });
});

describe('a data folder whose path is too long for a socket', function () {
  this.timeout(180_000);

  it('has its sockets in a closed folder below the runtime directory, which goes with the run', async () => {
    const here = await installation();
    const dataDir = join(here.dataDir, 'long'.repeat(30));
    const runtime = join(here.dataDir, 'runtime');
    mkdirSync(runtime);
    const running = here.run(['start'], { env: { DATA_DIR: dataDir, XDG_RUNTIME_DIR: runtime } });
    await eventually(() => expect(running.output()).to.contain('Tollgate is ready'), { timeoutMs: 120_000 });
    const [folder = ''] = readdirSync(runtime);
    expect(statSync(join(runtime, folder)).mode & 0o777).to.equal(0o700);
    expect(readdirSync(join(runtime, folder))).to.include.members(['redis.sock', 'store.sock']);
    running.child.kill('SIGTERM');
    expect(await running.ended).to.equal(0);
    expect(readdirSync(runtime)).to.deep.equal([]);
    await here.remove();
  });
});

/** The TCP ports that a process listens on, as the kernel tells. */
function listeningPorts(pid: number): number[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      } catch {
        return undefined; // closed since
      }
    }),
  );
  const rows = ['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1));
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((cells) => cells[3] === '0A' && inodes.has(cells[9] ?? ''))
    .map((cells) => Number.parseInt(cells[1]?.split(':')[1] ?? '', 16));
}
