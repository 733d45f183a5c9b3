import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createLogger, playgroundPasses } from '@tollgate/runtime';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { trustedPeers } from '../src/http/trusted-peers.ts';
import { createRelayProxy, type RelayProxy } from '../src/relay-proxy.ts';
import { createRelays } from '../src/relays.ts';

const nobody = { open: never, find: async () => undefined, end: never, endAll: never };
const passes = playgroundPasses(Buffer.alloc(32, 7));
const log = createLogger({ service: 'test', level: 'silent' });

describe('the way to the relay', () => {
  let relay: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const open: { server: Server; proxy: RelayProxy }[] = [];

  before(async () => {
    relay = createServer((incoming, response) => answer(incoming, response));
    relay.on('upgrade', (incoming, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
      socket.write(`seen:${incoming.headers['x-tollgate-user'] ?? 'nothing'};`);
      socket.pipe(socket);
    });
    await listen(relay);
  });
  after(() => {
    for (const { server, proxy } of open) {
      server.closeAllConnections();
      server.close();
      proxy.close();
    }
    relay.closeAllConnections();
    relay.close();
  });

  for (const path of ['/v1/chat/completions', '/suno/submit/music']) {
    describe(`at ${path}`, () => sharedBehaviour(path));
  }

  it('takes neither our own headers nor an address from a stranger', async () => {
    const { origin } = await start();
    answer = echoHeaders;
    const headers = {
      'x-tollgate-user': '1:2:3',
      'X-Tollgate-Anything': '1',
      'x-forwarded-for': '6.6.6.6',
      'x-real-ip': '6.6.6.6',
      authorization: 'Bearer sk-a',
    };
    const seen = (await (await fetch(`${origin}/v1/models`, { headers })).json()) as Record<string, string>;
    expect(Object.keys(seen).filter((name) => name.startsWith('x-tollgate'))).to.be.empty;
    expect(seen).to.include({ 'x-forwarded-for': '127.0.0.1', authorization: 'Bearer sk-a' });
    expect(seen).not.to.have.property('x-real-ip');
  });

  it('appends the address to what a trusted proxy says', async () => {
    const { origin } = await start({ trusted: ['127.0.0.0/8'] });
    answer = echoHeaders;
    const seen = (await (await fetch(`${origin}/v1/models`, { headers: { 'x-forwarded-for': '6.6.6.6' } })).json()) as Record<
      string,
      string
    >;
    expect(seen['x-forwarded-for']).to.equal('6.6.6.6, 127.0.0.1');
  });

  it('refuses the playground to who is not signed in', async () => {
    const { origin } = await start();
    answer = echoHeaders;
    const reply = await fetch(`${origin}/pg/chat/completions`, {
      method: 'POST',
      headers: { 'new-api-user': '1', authorization: 'Bearer x' },
    });
    expect(reply.status).to.equal(401);
    expect(((await reply.json()) as { error: { code: string } }).error.code).to.equal('not_logged_in');
  });

  it('leaves every other path to the console', async () => {
    const { origin } = await start();
    for (const path of ['/', '/v1x', '/api/status', '/pgx/', '/mjx', '/dashboard']) {
      expect((await fetch(origin + path)).status, path).to.equal(418);
    }
    answer = (_incoming, response) => response.end('relay');
    for (const path of ['/v1', '/v1/x', '/v1beta/models', '/mj/submit', '/suno/fetch', '/dashboard/billing/usage', '/v1?x']) {
      expect(await (await fetch(origin + path)).text(), path).to.equal('relay');
    }
  });

  it('joins WebSockets of the relay, and closes others', async () => {
    const { port } = await start();
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /v1/realtime HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nx-tollgate-user: 1\r\n\r\n');
    let seen = '';
    socket.on('data', (part) => {
      seen += part;
    });
    await eventually(() => expect(seen).to.match(/ 101 .*seen:nothing;/s));
    socket.write('ping');
    await eventually(() => expect(seen).to.match(/ping$/));
    socket.destroy();
    const other = connect(port, '127.0.0.1');
    other.write('GET /api/x HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    await once(other, 'close');
  });

  function sharedBehaviour(path: string): void {
    it('passes a body on as it comes and a stream back frame by frame', async () => {
      const { origin } = await start();
      const gate = Promise.withResolvers<void>();
      answer = async (incoming, response) => {
        const body = await text(incoming);
        response.writeHead(200, { 'content-type': 'text/event-stream', 'x-seen': incoming.url ?? '' });
        response.write(`data: ${body}\n\n`);
        await gate.promise;
        response.end('data: [DONE]\n\n');
      };
      const reply = await fetch(`${origin}${path}?x=1`, { method: 'POST', body: '{"a":1}' });
      const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect(reply.headers.get('x-seen')).to.equal(`${path}?x=1`);
      expect((await reader?.read())?.value).to.equal('data: {"a":1}\n\n');
      gate.resolve();
      expect((await reader?.read())?.value).to.equal('data: [DONE]\n\n');
    });

    it('gives a stream its headers before its first byte', async () => {
      const { origin } = await start();
      const gate = Promise.withResolvers<void>();
      answer = async (_incoming, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        await gate.promise;
        response.end();
      };
      const reply = await fetch(`${origin}${path}`, { method: 'POST' });
      expect(reply.status).to.equal(200);
      gate.resolve();
      await reply.text();
    });

    it('ends the call at the relay when its caller leaves', async () => {
      const { origin } = await start();
      const left = Promise.withResolvers<void>();
      answer = (_incoming, response) => {
        response.on('close', () => left.resolve());
        response.writeHead(200).write('first');
      };
      const call = request(`${origin}${path}`, { method: 'POST' }).end();
      call.on('error', () => {});
      const [reply] = (await once(call, 'response')) as [IncomingMessage];
      await once(reply, 'data');
      call.destroy();
      await left.promise;
    });

    it('cuts its caller off when the relay breaks off in the middle', async () => {
      const { origin } = await start();
      answer = (_incoming, response) => {
        response.writeHead(200);
        response.write('first', () => setImmediate(() => response.destroy()));
      };
      const reply = await fetch(`${origin}${path}`, { method: 'POST', body: '{}' });
      expect(await reply.text().catch(() => 'broken')).to.equal('broken');
    });

    it('says 503 in the shape of OpenAI when there is no relay', async () => {
      const { origin } = await start({ relayUrl: 'http://127.0.0.1:9' });
      const reply = await fetch(`${origin}${path}`, { method: 'POST', body: '{}' });
      expect(reply.status).to.equal(503);
      expect(reply.headers.get('retry-after')).to.equal('1');
      expect(((await reply.json()) as { error: { code: string } }).error.code).to.equal('service_unavailable');
    });

    it('spreads calls over the relays that are there', async () => {
      const here = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
      const { origin } = await start({ relayUrl: [here, 'http://127.0.0.1:9', here] });
      answer = (incoming, response) => incoming.pipe(response);
      const answers: string[] = [];
      for (let call = 0; call < 12; call += 1) {
        const reply = await fetch(`${origin}${path}`, { method: 'POST', body: `body ${call}` });
        answers.push(reply.status === 200 ? await reply.text() : String(reply.status));
      }
      // A call of a model that one relay refuses goes to the next one; of the rest, one call finds out that a relay is away.
      const refused = path.startsWith('/v1/') ? 0 : 1;
      expect(answers.filter((text) => text === '503')).to.have.length(refused);
      expect(answers.filter((text) => text.startsWith('body '))).to.have.length(12 - refused);
    });

    it('holds more streams open than an agent of Node would by itself', async () => {
      const { origin } = await start();
      const waiting: ServerResponse[] = [];
      answer = (_incoming, response) => {
        response.writeHead(200).flushHeaders();
        waiting.push(response);
      };
      const calls = Array.from({ length: 400 }, async () => (await fetch(`${origin}${path}`, { method: 'POST' })).text());
      await eventually(() => expect(waiting).to.have.length(400));
      for (const response of waiting) response.end('done');
      expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(['done']));
    });

    it('waits for a caller who reads slowly, and takes in no more than that', async () => {
      const { origin } = await start();
      let written = 0;
      answer = async (_incoming, response) => {
        const closed = once(response, 'close');
        response.writeHead(200);
        for (; written < 64 && !response.destroyed; written += 1) {
          if (!response.write(Buffer.alloc(1 << 20))) await Promise.race([once(response, 'drain'), closed]);
        }
        response.end();
      };
      const call = request(`${origin}${path}`, { method: 'POST' }).end();
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
  }

  async function start({
    relayUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}` as string | string[],
    trusted = [] as string[],
  } = {}) {
    const proxy = createRelayProxy({
      relays: createRelays([relayUrl].flat()),
      isTrusted: trustedPeers(trusted),
      sessions: nobody,
      passes,
      log,
    });
    const server = createServer((incoming, response) => {
      if (!proxy.handles(incoming, response)) response.writeHead(418).end();
    });
    server.on('upgrade', (incoming, socket, head) => proxy.upgrade(incoming, socket as import('node:net').Socket, head));
    await listen(server);
    open.push({ server, proxy });
    const { port } = server.address() as AddressInfo;
    return { origin: `http://127.0.0.1:${port}`, port };
  }
});

function echoHeaders(incoming: IncomingMessage, response: ServerResponse): void {
  response.end(JSON.stringify(incoming.headers));
}

async function text(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of incoming) body += part;
  return body;
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

async function never(): Promise<never> {
  throw new Error('not expected');
}
