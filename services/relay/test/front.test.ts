import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playgroundHeader, playgroundPasses, playgroundPassPath } from '@tollgate/runtime';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway } from './support/gateway.ts';

/** The relay as the front of one machine: what is not its own goes to the console behind it. */
describe('the front', () => {
  let console: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let gateway: Gateway;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-front-'));
    console = createServer((incoming, response) => answer(incoming, response));
    await new Promise<void>((resolve) => console.listen(join(folder, 'console.sock'), resolve));
    gateway = await startGateway({ CONSOLE_URL: join(folder, 'console.sock') });
  });
  after(async () => {
    await gateway?.stop();
    console.closeAllConnections();
    console.close();
    await rm(folder, { recursive: true });
  });

  it('leaves the console neither our own headers nor an address, host or scheme of a stranger', async () => {
    answer = echoHeaders;
    const said = {
      'x-tollgate-user': '1:2:3',
      'X-Tollgate-Anything': '1',
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'for=6.6.6.6',
      'x-real-ip': '6.6.6.6',
      authorization: 'Bearer system-access-token',
      cookie: 'session=a',
      'new-api-user': '7',
    };
    const seen = await headersSeen(`${gateway.url}/api/status`, said);
    expect(Object.keys(seen).filter((name) => name.startsWith('x-tollgate'))).to.be.empty;
    const { authorization, cookie } = said;
    expect(seen).to.include({
      'x-forwarded-for': '127.0.0.1',
      authorization,
      cookie,
      'new-api-user': '7',
      host: new URL(gateway.url).host,
    });
    for (const name of ['x-real-ip', 'forwarded', 'x-forwarded-host', 'x-forwarded-proto']) expect(seen, name).not.to.have.property(name);
  });

  it('keeps its own paths and leaves every other to the console', async () => {
    answer = (_incoming, response) => response.writeHead(418).end();
    for (const path of ['/', '/v1x', '/api/status', '/pgx/', '/mjx', '/upload', '/upload/v2/files', '/wsx', '/dashboard', '/token?p=1']) {
      expect((await fetch(gateway.url + path)).status, path).to.equal(418);
    }
    expect((await fetch(`${gateway.url}/api/option/`, { method: 'OPTIONS' })).status).to.equal(418);
    for (const path of [
      '/v1',
      '/v1/x',
      '/v1beta/models',
      '/upload/v1/files',
      '/upload/v1beta/files?upload_id=x',
      '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
      '//ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent',
      '/mj/submit',
      '/suno/fetch',
      '/dashboard/billing/usage',
      '/v1?x',
      '/livez',
      '/readyz',
    ]) {
      expect((await fetch(gateway.url + path)).status, path).to.not.equal(418);
    }
    for (const path of [playgroundPassPath, '/internal', '/internal/']) {
      expect((await fetch(gateway.url + path)).status, path).to.equal(404);
    }
  });

  it('answers a request for an upgrade that nobody offers as if it were none', async () => {
    answer = (_incoming, response) => response.end('from the console');
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write('GET /api/x HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    let seen = '';
    socket.on('data', (part) => {
      seen += part;
    });
    await eventually(() => expect(seen).to.match(/ 200 .*from the console/s));
    socket.destroy();
  });

  it('passes a body on as it comes and a stream back piece by piece', async () => {
    const gate = Promise.withResolvers<void>();
    answer = async (incoming, response) => {
      const body = await text(incoming);
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-seen': incoming.url ?? '' });
      response.write(`data: ${body}\n\n`);
      await gate.promise;
      response.end('data: [DONE]\n\n');
    };
    const reply = await fetch(`${gateway.url}/api/export?x=1`, { method: 'POST', body: '{"a":1}' });
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(reply.headers.get('x-seen')).to.equal('/api/export?x=1');
    expect((await reader?.read())?.value).to.equal('data: {"a":1}\n\n');
    gate.resolve();
    expect((await reader?.read())?.value).to.equal('data: [DONE]\n\n');
  });

  it('gives a stream its headers before its first byte', async () => {
    const gate = Promise.withResolvers<void>();
    answer = async (_incoming, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      await gate.promise;
      response.end();
    };
    const reply = await fetch(`${gateway.url}/api/export`, { method: 'POST' });
    expect(reply.status).to.equal(200);
    gate.resolve();
    await reply.text();
  });

  it('refuses a request when the console hangs, and waits for one that only takes its time', async () => {
    answer = (incoming, response) => {
      if (incoming.url === '/livez') response.end();
      else setTimeout(() => response.end('at last'), 1_500);
    };
    expect(await (await fetch(`${gateway.url}/api/export`)).text()).to.equal('at last');
    let dropped = 0;
    answer = (_incoming, response) => void response.once('close', () => (dropped += 1)); // nothing is answered, and no sign of life
    const sentAt = performance.now();
    const [page, api] = await Promise.all([
      fetch(gateway.url, { headers: { accept: 'text/html' } }),
      fetch(`${gateway.url}/api/user/self`, { method: 'PUT', body: '{}' }),
    ]);
    for (const { status, headers } of [page, api]) {
      expect(status).to.equal(503);
      expect(headers.get('retry-after')).to.equal('2');
    }
    expect(performance.now() - sentAt).to.be.at.least(890);
    await eventually(() => expect(dropped).to.equal(3)); // the sign of life was asked for once
  });

  it('ends the request at the console when its caller leaves', async () => {
    const left = Promise.withResolvers<void>();
    answer = (_incoming, response) => {
      response.on('close', () => left.resolve());
      response.writeHead(200).write('first');
    };
    const call = request(`${gateway.url}/api/export`, { method: 'POST' }).end();
    call.on('error', () => {});
    const [reply] = (await once(call, 'response')) as [IncomingMessage];
    await once(reply, 'data');
    call.destroy();
    await left.promise;
  });

  it('brings a refusal of a body that is still on its way, also to a caller who wants his line closed', async () => {
    const caller = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    answer = (_incoming, response) => {
      caller.write('the rest'); // is there before the refusal, and nobody takes it any more
      response.writeHead(421).end('not here');
    };
    caller.write('POST /api/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 9\r\n\r\n-');
    const seen = await text(caller); // whole when the line is closed, as he asked
    expect(seen).to.match(/^HTTP\/1.1 421 .*connection: close.*not here/is);
  });

  it('cuts its caller off when the console breaks off in the middle', async () => {
    answer = (_incoming, response) => {
      response.writeHead(200);
      response.write('first', () => setImmediate(() => response.destroy()));
    };
    const reply = await fetch(`${gateway.url}/api/export`, { method: 'POST', body: '{}' });
    expect(await reply.text().catch(() => 'broken')).to.equal('broken');
  });

  it('holds more requests open than an agent of Node would by itself', async () => {
    const waiting: ServerResponse[] = [];
    answer = (_incoming, response) => {
      response.writeHead(200).flushHeaders();
      waiting.push(response);
    };
    const calls = Array.from({ length: 400 }, async () => (await fetch(`${gateway.url}/api/export`, { method: 'POST' })).text());
    await eventually(() => expect(waiting).to.have.length(400));
    for (const response of waiting) response.end('done');
    expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(['done']));
  });

  it('waits for a caller who reads slowly, and takes in no more than that', async () => {
    let written = 0;
    answer = async (_incoming, response) => {
      const closed = once(response, 'close');
      response.writeHead(200);
      for (; written < 64 && !response.destroyed; written += 1) {
        if (!response.write(Buffer.alloc(1 << 20))) await Promise.race([once(response, 'drain'), closed]);
      }
      response.end();
    };
    const call = request(`${gateway.url}/api/export`, { method: 'POST' }).end();
    const [reply] = (await once(call, 'response')) as [IncomingMessage];
    let before = -1;
    await eventually(() => {
      const still = written === before;
      before = written;
      expect(still && written > 0).to.equal(true);
    });
    expect(written).to.be.below(40);
    reply.resume();
    await once(reply, 'end');
    expect(written).to.equal(64);
  });

  describe('the playground', () => {
    const call = (headers: Record<string, string> = {}) =>
      gateway.post('/pg/chat/completions', { model: 'test-model', group: 'default', messages: [{ role: 'user', content: 'Hi' }] }, headers);

    it('asks the console who is signed in, and takes nobody else’s word for it', async () => {
      const user = await gateway.user();
      await gateway.channel();
      const passes = playgroundPasses(Buffer.from(gateway.env.MASTER_KEY ?? '', 'hex'));
      let seen: IncomingMessage['headers'] = {};
      answer = (incoming, response) => {
        seen = incoming.headers;
        expect(incoming.url).to.equal(playgroundPassPath);
        response.writeHead(204, { [playgroundHeader]: passes.sign(user.id, Date.now()) }).end();
      };
      const said = { cookie: 'session=a', 'new-api-user': String(user.id), origin: gateway.url, authorization: 'Bearer b' };
      const reply = await call({ ...said, [playgroundHeader]: passes.sign(user.id + 1, Date.now()) });
      expect(reply.status, await reply.clone().text()).to.equal(200);
      expect(seen).to.include({
        cookie: 'session=a',
        'new-api-user': String(user.id),
        origin: gateway.url,
        host: new URL(gateway.url).host,
      });
      for (const name of ['authorization', 'content-type', 'content-length', playgroundHeader])
        expect(seen, name).not.to.have.property(name);
      expect((await gateway.events(user)).map(({ userId }) => userId)).to.deep.equal([user.id]);
    });

    it('is closed to whom the console refuses, in its words, and to a forged pass', async () => {
      answer = (_incoming, response) =>
        response.writeHead(401, { 'content-type': 'application/json' }).end('{"success":false,"code":"not_logged_in"}');
      const refused = await call({ 'new-api-user': '1', authorization: 'Bearer x' });
      expect(refused.status).to.equal(401);
      expect(await codeOf(refused)).to.equal('not_logged_in');
      answer = (_incoming, response) => response.writeHead(204, { [playgroundHeader]: `1:${Date.now() + 1e6}:forged` }).end();
      expect((await call()).status).to.equal(401);
      answer = (_incoming, response) => response.writeHead(500).end('<html>');
      expect((await call()).status).to.equal(503);
    });
  });
});

describe('the front, behind a trusted proxy and with its console away', () => {
  let folder: string;
  let gateway: Gateway;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-front-'));
    gateway = await startGateway({ CONSOLE_URL: join(folder, 'console.sock'), TRUSTED_PROXIES: '127.0.0.0/8' });
  });
  after(async () => {
    await gateway?.stop();
    await rm(folder, { recursive: true });
  });

  it('says so: a page to who wants one, the console’s envelope to others, OpenAI’s words in the playground', async () => {
    const page = await fetch(`${gateway.url}/token`, { headers: { accept: 'text/html,*/*' } });
    expect([page.status, page.headers.get('retry-after'), page.headers.get('cache-control')]).to.deep.equal([503, '2', 'no-store']);
    expect(await page.text()).to.contain('<meta http-equiv="refresh"');
    const wanted = { accept: 'text/html', 'accept-language': 'zh' };
    const api = await fetch(`${gateway.url}/api/status`, { method: 'POST', body: '{}', headers: wanted });
    expect(api.status).to.equal(503);
    expect(await api.json()).to.include({ success: false, code: 'service_unavailable' });
    const played = await gateway.post('/pg/chat/completions', {});
    expect([played.status, await codeOf(played)]).to.deep.equal([503, 'service_unavailable']);
  });

  it('lets the proxy say who called and how, and appends its address', async () => {
    const console = createServer(echoHeaders);
    await new Promise<void>((resolve) => console.listen(join(folder, 'console.sock'), resolve));
    const seen = await headersSeen(`${gateway.url}/api/status`, { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https' });
    expect(seen).to.include({ 'x-forwarded-for': '6.6.6.6, 127.0.0.1', 'x-forwarded-proto': 'https' });
    console.closeAllConnections();
    console.close();
  });
});

describe('a relay that is no front', () => {
  it('answers 404 for what is not its own', async () => {
    const gateway = await startGateway();
    for (const path of ['/', '/api/status', '/token']) expect((await fetch(gateway.url + path)).status, path).to.equal(404);
    await gateway.stop();
  });
});

async function headersSeen(url: string, headers: Record<string, string>): Promise<Record<string, string>> {
  return (await (await fetch(url, { headers })).json()) as Record<string, string>;
}

function echoHeaders(incoming: IncomingMessage, response: ServerResponse): void {
  response.end(JSON.stringify(incoming.headers));
}

async function codeOf(reply: Response): Promise<string> {
  return ((await reply.json()) as { error: { code: string } }).error.code;
}

async function text(incoming: AsyncIterable<unknown>): Promise<string> {
  let body = '';
  for await (const part of incoming) body += part;
  return body;
}
