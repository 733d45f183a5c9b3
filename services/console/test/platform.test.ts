import type { AddressInfo } from 'node:net';
import { type LimiterName, limiters, role, route, userStatus } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { createLogger } from '@tollgate/runtime';
import { expect } from 'chai';
import express from 'express';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { guardWith } from '../src/auth/guards.ts';
import { routeLimits } from '../src/auth/limits.ts';
import { createSessions } from '../src/auth/sessions.ts';
import { turnstile } from '../src/auth/turnstile.ts';
import { said } from '../src/http/answer.ts';
import { errorHandler } from '../src/http/error-handler.ts';
import type { Handlers } from '../src/http/handlers.ts';
import { mount } from '../src/http/mount.ts';
import { masterKey, startConsole, type TestConsole } from './support/console.ts';

/** Routes that are in no contract of ours: what a contract can say, and what the platform makes of it. */
const table = {
  'GET /x/:name/:id': route({
    summary: 'swallows',
    access: 'anyone',
    params: z.object({ name: z.string(), id: z.coerce.number() }),
    answer: z.string(),
  }),
  'GET /x/shown/here': route({ summary: 'would be swallowed', access: 'anyone', csrfExempt: true, answer: z.string() }),
  'GET /x/visitor': route({ summary: 'for somebody or nobody', access: 'visitor', answer: z.string() }),
  'GET /x/session': route({ summary: 'by the cookie alone', access: 'session', answer: z.string() }),
  'GET /x/limited': route({ summary: 'not too often', access: 'anyone', limiter: 'critical' }),
  'POST /x/people': route({ summary: 'for people', access: 'anyone', turnstile: true, query: z.object({}), answer: z.number() }),
  'GET /x/file.csv': route({ summary: 'written by its handler', access: 'anyone', raw: 'text/csv' }),
};

const limitedCalls: string[] = [];

const handlers: Handlers<typeof table> = {
  'GET /x/:name/:id': ({ params }) => `${params.name} ${params.id + 1}`,
  'GET /x/shown/here': () => said('here', { en: 'found', zh: '找到' }),
  'GET /x/visitor': ({ caller }) => caller?.username ?? 'nobody',
  'GET /x/session': ({ caller }) => caller.username,
  'GET /x/limited': () => void limitedCalls.push('one'),
  'POST /x/people': () => 1,
  'GET /x/file.csv': ({ res }) => void res.type('text/csv').send('a,b\n'),
};

describe('the platform under the routes', () => {
  let tollgate: TestConsole;
  let redis: Redis;
  let origin: string;
  let isOn = false;
  let asked: Record<string, unknown>[] = [];
  /** What it answers instead of its verdict; throws while it is away. */
  let cloudflare: (() => Buffer) | undefined;
  let server: ReturnType<express.Express['listen']>;

  before(async () => {
    tollgate = await startConsole();
    redis = new Redis(tollgate.redisUrl);
    await redis.del('limit:critical:127.0.0.1');
    const egress = {
      async exchange(_url: string | URL, { body: question }: { body?: string | Buffer } = {}) {
        asked.push(JSON.parse(String(question)) as Record<string, unknown>);
        const body = cloudflare?.() ?? Buffer.from(JSON.stringify({ success: asked.at(-1)?.response === 'solved' }));
        return { status: 200, headers: {}, body };
      },
    };
    const guard = guardWith({
      sessions: createSessions(redis, Buffer.from(masterKey, 'hex')),
      limit: routeLimits(redis),
      takeState: async () => false,
      checkTurnstile: turnstile(egress, () => ({ TurnstileCheckEnabled: isOn, TurnstileSecretKey: 'secret' })),
    });
    const app = express()
      .use(mount(table, handlers, { guard, readBody: express.json() }))
      .use(errorHandler(createLogger({ service: 'console', level: 'silent' })));
    server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    redis.disconnect();
    await tollgate.close();
  });

  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(origin + path, { method, headers });
    return { status: answer.status, ...((await answer.json()) as { success: boolean; message: string; code?: string; data?: unknown }) };
  };

  it('puts a path with a parameter behind those that it would swallow, and parses what is no number', async () => {
    expect(await ask('/x/shown/here')).to.include({ data: 'here', message: 'found' });
    expect(await ask('/x/shown/here/', { 'accept-language': 'zh' })).to.include({ message: '找到' });
    expect(await ask('/x/other/41')).to.include({ data: 'other 42', message: '' });
    expect(await ask('/x/other/abc')).to.include({ success: false, code: 'invalid_parameter' });
  });

  it('knows a visitor by his session and lets others pass', async () => {
    const user = await tollgate.newUser();
    expect((await ask('/x/visitor', { cookie: user.cookie ?? '' })).data).to.equal(user.username);
    expect((await ask('/x/visitor')).data).to.equal('nobody');
    expect((await ask('/x/visitor', { cookie: 'session=forged' })).data).to.equal('nobody');
  });

  it('takes a session without the header that a browser cannot send, and neither access tokens nor accounts that may not', async () => {
    const user = await tollgate.newUser();
    const cookie = user.cookie ?? '';
    expect(await ask('/x/session', { cookie })).to.include({ success: true, data: user.username });
    const authorization = await user.ok<string>('GET', '/api/user/token');
    expect(await ask('/x/session', { authorization, 'new-api-user': String(user.id) })).to.include({ status: 401, code: 'not_logged_in' });
    await User.updateOne({ id: user.id }, { mustChangePassword: true });
    expect((await ask('/x/session', { cookie })).code).to.equal('password_must_change');
    await User.updateOne({ id: user.id }, { mustChangePassword: false, role: role.guest });
    expect((await ask('/x/session', { cookie })).code).to.equal('insufficient_role');
    await User.updateOne({ id: user.id }, { role: role.user, status: userStatus.disabled });
    expect((await ask('/x/session', { cookie })).code).to.equal('user_banned');
  });

  it('holds the limit that a route names, and says when to come back', async () => {
    const name: LimiterName = 'critical';
    for (let n = 0; n < limiters[name].points; n += 1) expect((await ask('/x/limited')).status).to.equal(200);
    const refused = await fetch(`${origin}/x/limited`);
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, limiters[name].seconds);
    expect((await ask('/x/visitor')).status).to.equal(200);
  });

  it('asks for a solved Turnstile while the option is on', async () => {
    expect(await ask('/x/people', {}, 'POST')).to.include({ success: true });
    isOn = true;
    expect(await ask('/x/people', {}, 'POST')).to.include({ success: false, code: 'turnstile_failed' });
    expect(asked).to.deep.equal([]);
    expect(await ask('/x/people?turnstile=guessed', {}, 'POST')).to.include({ success: false, code: 'turnstile_failed' });
    expect(await ask('/x/people?turnstile=solved', {}, 'POST')).to.include({ success: true, data: 1 });
    expect(asked).to.deep.include({ secret: 'secret', response: 'solved', remoteip: '127.0.0.1' });
    for (const odd of ['<html>Bad gateway', '{"success":"yes"}', 'null', undefined]) {
      cloudflare = () => Buffer.from(odd ?? expect.fail('it is away'));
      expect(await ask('/x/people?turnstile=solved', {}, 'POST'), odd).to.include({ status: 503, code: 'service_unavailable' });
    }
    cloudflare = undefined;
    isOn = false;
    asked = [];
  });

  it('answers HEAD where anybody may look; nothing that a GET would do is done by it', async () => {
    const before = limitedCalls.length;
    const look = async (path: string) => (await fetch(origin + path, { method: 'HEAD' })).status;
    expect([await look('/x/shown/here'), await look('/x/limited'), await look('/x/session')]).to.deep.equal([200, 404, 404]);
    expect(limitedCalls).to.have.length(before);
  });

  it('leaves an answer alone that its handler has written', async () => {
    const answer = await fetch(`${origin}/x/file.csv`);
    expect([answer.headers.get('content-type'), await answer.text()]).to.deep.equal(['text/csv; charset=utf-8', 'a,b\n']);
  });

  it('does not compile without a handler, with another answer, or with an example that does not fit', () => {
    // @ts-expect-error: a route without a handler
    const missing: Handlers<typeof table> = { ...handlers, 'GET /x/visitor': undefined };
    // @ts-expect-error: a number where the contract says a text
    const wrong: Handlers<typeof table> = { ...handlers, 'GET /x/visitor': () => 1 };
    // @ts-expect-error: the example lacks what the body needs
    const example = route({ summary: '', access: 'user', body: z.object({ name: z.string() }), example: { body: {} } });
    expect([missing, wrong, example]).to.have.length(3);
  });
});
