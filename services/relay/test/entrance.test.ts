import { randomBytes } from 'node:crypto';
import { tokenStatus, userStatus } from '@tollgate/contracts';
import { sendRaw } from '@tollgate/testing';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { callPaths } from '../src/dialects/routes.ts';
import { readRoutes } from '../src/http/routes/rest.ts';
import { storedRoutes } from '../src/http/routes/stored-routes.ts';
import { estimatePath } from '../src/pipeline/estimate-call.ts';
import { drawingRoutes, musicRoutes } from '../src/tasks/answer-task.ts';
import { type Gateway, startGateway, type TestToken, type TestUser, untilServed } from './support/gateway.ts';

interface Route {
  method: string;
  path: string;
  /** Of one that only reads: a call costs none of the requests that a limit allows. */
  isRead: boolean;
}

/** Every route that answers callers, but signed addresses, which are their own proof. */
const routes: Route[] = [
  ...callPaths.map((path) => ({ method: 'POST', path: path.replace('{model}', 'test-model'), isRead: false })),
  ...readRoutes.flatMap(({ paths }) => paths.map((path) => ({ method: 'GET', path: path.replace('*name', 'test-model'), isRead: true }))),
  { method: 'POST', path: estimatePath, isRead: true },
  ...storedRoutes.map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'none'), isRead: true })),
  ...Object.entries({ '/mj/': drawingRoutes, '/fast/mj/': drawingRoutes, '/suno/': musicRoutes }).flatMap(([base, all]) =>
    all
      .filter(({ access }) => access !== 'signed')
      .map(({ method, path, access }) => ({ method, path: base + path.replace(':id', 'music'), isRead: access === 'read' })),
  ),
];

describe('Every route of callers', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());

  const call = ({ method, path }: Route, key: string | undefined) =>
    fetch(gateway.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer sk-${key}` }) },
      ...(method === 'POST' && { body: '{}' }),
    });
  const statusesOf = async (key: string | undefined) => {
    const statuses = new Map<string, number>();
    for (const route of routes) {
      const answer = await call(route, key);
      await answer.arrayBuffer();
      statuses.set(`${route.method} ${route.path}`, answer.status);
    }
    return statuses;
  };
  const expectAll = async (key: string | undefined, status: number) => {
    for (const [route, got] of await statusesOf(key)) expect(got, route).to.equal(status);
  };

  it('is refused without a key, with an unknown one, and with a token that is disabled or expired', async () => {
    expect(routes.length).to.be.above(60);
    await expectAll(undefined, 401);
    await expectAll(randomBytes(24).toString('hex'), 401);
    await expectAll((await gateway.token(user, { status: tokenStatus.disabled })).key, 401);
    await expectAll((await gateway.token(user, { expiresAt: new Date(Date.now() - 1) })).key, 401);
  });

  it('is refused from an address that the token does not allow, and to a banned user', async () => {
    await expectAll((await gateway.token(user, { allowIps: ['9.9.9.9'] })).key, 403);
    await expectAll((await gateway.token(user, { denyIps: ['127.0.0.1'] })).key, 403);
    await expectAll((await gateway.user({ status: userStatus.disabled })).token.key, 403);
  });

  it('is refused beyond a limit; one that only reads counts against none', async () => {
    const limited = (await gateway.user({ token: { requestsPerDay: 1 } })).token;
    for (const route of routes) if (route.isRead) expect((await call(route, limited.key)).status, route.path).to.not.equal(429);
    const body = { model: 'test-model', messages: [{ role: 'user', content: 'Hi' }] };
    expect((await gateway.post('/v1/chat/completions', body, { authorization: limited.authorization })).status).to.equal(200);
    for (const route of routes) if (route.isRead) expect((await call(route, limited.key)).status, route.path).to.equal(429);
  });

  it('opens no session either to any of these', async () => {
    const opened = (token: Pick<TestToken, 'key'>, path: string) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(gateway.url.replace('http', 'ws') + path, {
          headers: { authorization: `Bearer sk-${token.key}` },
        });
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
        socket.on('open', () => resolve(101));
        socket.on('error', () => undefined);
      });
    for (const path of ['/v1/realtime?model=test-model', '/v1/responses']) {
      expect(await opened({ key: 'nobody' }, path)).to.equal(401);
      expect(await opened(await gateway.token(user, { status: tokenStatus.disabled }), path)).to.equal(401);
      expect(await opened(await gateway.token(user, { denyIps: ['127.0.0.1'] }), path)).to.equal(403);
    }
  });

  it('names its methods where another one is used', async () => {
    for (const { method, path } of routes) {
      const answer = await fetch(gateway.url + path, { method: 'PUT' });
      await answer.arrayBuffer();
      expect(answer.status, path).to.equal(405);
      expect(answer.headers.get('allow')?.split(', '), path).to.include(method);
    }
  });

  it('is refused with 400 where a request names two hosts', async () => {
    for (const { method, path } of [...routes.slice(0, 2), { method: 'GET', path: '/v1/models' }, { method: 'GET', path: '/livez' }]) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: a.example\r\nhost: b.example\r\nContent-Length: 0\r\n\r\n`;
      expect(await sendRaw(gateway.url, head), path).to.match(/^HTTP\/1\.1 400 /);
    }
    const upgrade = `GET /v1/realtime?model=x HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect(await sendRaw(gateway.url, upgrade)).to.match(/^HTTP\/1\.1 400 /);
  });
});
