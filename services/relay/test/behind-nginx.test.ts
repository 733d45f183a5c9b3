import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { playgroundHeader, playgroundPasses, playgroundPassPath } from '@tollgate/runtime';
import { eventually, type FaultProxy, type Nginx, orSkip, startFaultProxy, startNginx } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type RealtimeProvider, startRealtimeProvider } from './support/realtime-provider.ts';
import { talkAt } from './support/talk.ts';

const portOfNobody = 9;
const file = join(import.meta.dirname, '../../../deploy/docker/nginx.conf');

/** The front of docker compose, by its own file: a real nginx with a relay and something like a console behind it. */
describe('behind nginx', function () {
  this.timeout(60_000);
  let gateway: Gateway;
  let nginx: Nginx;
  let nginxToRelay: FaultProxy;
  let spoken: RealtimeProvider;
  let console: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let user: TestUser;

  before(async function () {
    gateway = await startGateway({ TRUSTED_PROXIES: '127.0.0.0/8', UPSTREAM_DRAIN_MS: '500' });
    console = createServer((incoming, response) => answer(incoming, response));
    await new Promise<void>((resolve) => console.listen(0, '127.0.0.1', resolve));
    nginxToRelay = await startFaultProxy({ to: Number(new URL(gateway.url).port) });
    const ports = { relay: String(nginxToRelay.port), console: String((console.address() as AddressInfo).port) };
    const text = await readFile(file, 'utf8');
    nginx = await orSkip(this, () => startNginx(({ port, folder }) => adapted(text, { ...ports, front: String(port), folder })));
    spoken = await startRealtimeProvider();
    user = await gateway.user({ balance: 1e12 });
    await gateway.channel();
    await gateway.channel({ models: ['voice'], baseUrl: spoken.url });
    await gateway.options({
      ModelRatio: JSON.stringify({ 'test-model': 1, voice: 1 }),
      ModelMaxOutput: JSON.stringify({ voice: 100 }),
    });
    await untilServed(gateway, user.token, 'voice');
  });
  after(async () => {
    await nginx?.stop();
    await nginxToRelay?.close();
    await gateway?.stop();
    await spoken?.close();
    console?.closeAllConnections();
    console?.close();
  });
  beforeEach(() => {
    gateway.provider.reset();
    answer = (_incoming, response) => response.writeHead(418).end();
  });

  const call = (path: string, { body, headers = {} }: { body: unknown; headers?: Record<string, string> }) =>
    fetch(`${nginx.url}${path}`, {
      method: 'POST',
      headers: { authorization: user.token.authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('a relay that is gone is passed over: what it was not given goes to another one', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => call('/v1/chat/completions', { body: question() })));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 200));
    expect(gateway.provider.calls).to.have.length(8);
  });

  it('a call that a relay has taken is given to no other, even when the line breaks', async () => {
    gateway.provider.answers({ refuseBy: 'hang' });
    const broken = call('/v1/chat/completions', { body: question() });
    await eventually(() => expect(gateway.provider.calls).to.have.length(1));
    nginxToRelay.reset();
    expect((await broken).status).to.equal(502);
    nginxToRelay.heal();
    expect(gateway.provider.calls).to.have.length(1);
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
  });

  it('a proxy in front of it is believed where OUTER_PROXIES names it, a stranger never', async function () {
    const text = await readFile(file, 'utf8');
    const ports = { relay: String(nginxToRelay.port), console: String((console.address() as AddressInfo).port) };
    const inner = await orSkip(this, () =>
      startNginx(({ port, folder }) => {
        const whole = adapted(text, { ...ports, front: String(port), folder });
        writeOuterProxies(folder, '127.0.0.0/8');
        return whole;
      }),
    );
    const seen: Record<string, unknown>[] = [];
    answer = ({ headers }, response) => {
      seen.push(headers);
      response.end('{}');
    };
    const headers = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9:4711', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ai.example.com' };
    for (const { url } of [inner, nginx]) await fetch(`${url}/api/status`, { headers });
    await inner.stop();
    expect(seen[0]).to.include({ 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ai.example.com' });
    expect(seen[1]).to.include({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' }).and.not.have.property('x-forwarded-host');
  });

  it('a stream comes piece by piece', async () => {
    gateway.provider.answers({ words: 4, breakAfter: 2, breakBy: 'hang' });
    const leaving = new AbortController();
    const reply = await fetch(`${nginx.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: user.token.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(question({ stream: true })),
      signal: leaving.signal,
    });
    let come = '';
    for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      come += piece;
      if (come.includes('"content":"')) break; // though the rest never comes
    }
    expect(come).to.contain('data: ');
    leaving.abort();
  });

  it('who hangs up is seen to have left, by the provider, too', async () => {
    gateway.provider.answers({ refuseBy: 'hang' });
    const leaving = new AbortController();
    const left = fetch(`${nginx.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: user.token.authorization, 'content-type': 'application/json' },
      body: JSON.stringify(question({ stream: true })),
      signal: leaving.signal,
    }).catch(() => 'left');
    await eventually(() => expect(gateway.provider.calls).to.have.length(1));
    leaving.abort();
    expect(await left).to.equal('left');
    await eventually(() => expect(gateway.provider.lastCall().outcome).to.equal('partial'));
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
  });

  it('a spoken session goes both ways', async () => {
    const talk = await talkAt(nginx.url, user.token.authorization, { model: 'voice' });
    await talk.next('session.created');
    talk.say({ type: 'response.create' });
    await talk.next('response.done');
    talk.socket.terminate();
    await eventually(() => expect(spoken.last().socket.readyState).to.equal(spoken.last().socket.CLOSED));
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0), { timeoutMs: 30_000 });
  });

  it('a body may be as long as the relay takes, comes as it is sent, and one beyond is refused', async () => {
    const long = (bytes: number) => question({ messages: [{ role: 'user', content: 'a'.repeat(bytes) }] });
    const whole = await call('/v1/chat/completions', { body: long(31 << 20) });
    expect(whole.status, await whole.text()).to.equal(200);
    expect((await call('/v1/chat/completions', { body: long(34 << 20) })).status).to.equal(413);
    const sent = request(`${nginx.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-nobody', 'content-type': 'application/json', 'content-length': 1 << 20 },
    });
    sent.on('error', () => undefined);
    sent.write('{');
    const [refusal] = (await once(sent, 'response')) as [IncomingMessage];
    expect(refusal.statusCode, 'before the rest of it').to.equal(401);
    sent.destroy();
  });

  it('a header may be as long as the relay takes', async () => {
    const headers = { 'x-trace-of-the-caller': 'a'.repeat(12_000) };
    const answered = await call('/v1/chat/completions', { body: question(), headers });
    expect(answered.status, await answered.text()).to.equal(200);
  });

  it('the playground asks the console first, and a pass that a caller brings himself counts for nothing', async () => {
    const passes = playgroundPasses(Buffer.from(gateway.env.MASTER_KEY ?? '', 'hex'));
    let seen: IncomingMessage['headers'] = {};
    answer = (incoming, response) => {
      seen = incoming.headers;
      expect(incoming.url).to.equal(playgroundPassPath);
      response.writeHead(204, { [playgroundHeader]: passes.sign(user.id, Date.now()) }).end();
    };
    const body = { ...question({ stream: true }), group: 'default' };
    const forged = { [playgroundHeader]: passes.sign(user.id + 1, Date.now()), cookie: 'session=a', authorization: '' };
    const reply = await call('/pg/chat/completions', { body, headers: forged });
    expect(reply.status, await reply.text()).to.equal(200);
    expect(seen).to.include({ cookie: 'session=a', 'x-forwarded-for': '127.0.0.1' });
    expect(seen).not.to.have.property(playgroundHeader);
    answer = (_incoming, response) => response.writeHead(401).end();
    expect((await call('/pg/chat/completions', { body, headers: forged })).status).to.equal(401);
  });

  it('what is the relay’s goes to the relay, all else to the console, and what is between them to nobody', async () => {
    const statusOf = async (path: string) => (await fetch(nginx.url + path)).status;
    for (const path of ['/', '/api/status', '/v1x', '/mjx', '/upload', '/wsx', '/token?p=1', '/assets/x.js'])
      expect(await statusOf(path), path).to.equal(418);
    for (const path of ['/v1/models', '/v1beta/models', '/mj-fast/mj/submit', '/mj/submit', '/suno/fetch', '/dashboard/billing/usage'])
      expect(await statusOf(path), path).to.be.oneOf([401, 403, 404, 405]);
    for (const path of [playgroundPassPath, '/internal/', '//internal/playground-pass', '/internal/../internal/playground-pass'])
      expect(await statusOf(path), path).to.equal(404);
    for (const path of ['/livez', '/readyz']) expect(await statusOf(path), path).to.equal(200);
  });
});

/** The same with addresses of this machine. `resolve` is of newer versions than a Debian may have. */
/** What docker-compose.yml makes of OUTER_PROXIES. */
function writeOuterProxies(folder: string, block: string): void {
  writeFileSync(join(folder, 'outer-proxies.conf'), block && `set_real_ip_from ${block};\n`);
  writeFileSync(join(folder, 'outer-proxies.geo'), block && `${block} 1;\n`);
}

function adapted(text: string, at: Record<'relay' | 'console' | 'front' | 'folder', string>): string {
  const changes: [string, string][] = [
    // Beside it one that is gone, and is tried again and again.
    ['server relay:3001 resolve max_fails=0;', `server 127.0.0.1:${at.relay} max_fails=0; server 127.0.0.1:${portOfNobody} max_fails=0;`],
    ['server console:3000 resolve;', `server 127.0.0.1:${at.console};`],
    ['listen 8080;', `listen 127.0.0.1:${at.front};`],
    ['resolver 127.0.0.11 valid=2s ipv6=off;', ''],
    ['error_log /dev/stderr warn;', 'error_log stderr warn;'], // here it is a socket, which cannot be opened
  ];
  for (const [theirs] of changes) expect(text).to.contain(theirs);
  writeOuterProxies(at.folder, '');
  return changes.reduce((changed, [theirs, ours]) => changed.replace(theirs, ours), text).replaceAll('/tmp/', `${at.folder}/`);
}
