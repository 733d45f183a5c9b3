import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type LoginView, routeNames } from '@tollgate/contracts';
import { engines, freePort, type MeasuredService, sendRaw, startMeasuredService } from '@tollgate/testing';
import { expect } from 'chai';
import { cookieOf } from './support/console.ts';

const pieces = ['a', '/', '@', ':', '{', ' '];
/** Of each of the fields of one body: slow means slow long before a megabyte. */
const fieldLength = 40_000;
const megabyte = 1 << 20;
const mostMs = 50;

/** What the texts of the bodies are called, of all routes. */
const fieldNames = [
  ...['username', 'password', 'display_name', 'email', 'group', 'name', 'key', 'value', 'models', 'base_url', 'other', 'tag', 'new_tag'],
  ...['model_mapping', 'status_code_mapping', 'setting', 'openai_organization', 'test_model', 'model_limits', 'allow_ips', 'groups'],
  ...['action', 'remark', 'webhook_url', 'notification_email', 'model_ratio'],
];

describe('Texts made to be slow', () => {
  let service: MeasuredService;
  let headers: Record<string, string>;

  before(async () => {
    const { mongodbUri, redisUrl } = await engines();
    const port = await freePort();
    const env = {
      MONGODB_URI: mongodbUri(),
      REDIS_URL: await redisUrl(),
      MASTER_KEY: randomBytes(32).toString('hex'),
      CONSOLE_PORT: String(port),
      INITIAL_ROOT_PASSWORD: 'root for tests',
      API_REQUESTS_PER_MINUTE: '0',
    };
    service = await startMeasuredService(join(import.meta.dirname, '../src/main.ts'), env, port);
    const answer = await fetch(`${service.origin}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: env.INITIAL_ROOT_PASSWORD }),
    });
    const { data } = (await answer.json()) as { data: LoginView };
    headers = { 'content-type': 'application/json', cookie: cookieOf(answer.headers) ?? '', 'new-api-user': String(data.id) };
  });
  after(() => service.stop());

  async function expectQuick(what: string, ask: (piece: string) => Promise<unknown>): Promise<void> {
    await ask('b'); // what only the first call costs is no fault of a text
    await service.longestTurnMs();
    for (const piece of pieces) {
      // A text that is slow is slow each time; a collection of garbage or a busy machine is not.
      let longestMs = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 4 && longestMs >= mostMs; tries += 1) {
        await ask(piece);
        longestMs = Math.min(longestMs, await service.longestTurnMs());
      }
      expect(longestMs, `${what}: ${piece}`).to.be.below(mostMs);
    }
  }

  const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const answer = await fetch(service.origin + path, {
      method,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return answer.text();
  };

  it('keep nobody waiting, in any body of the API', async function () {
    this.timeout(60_000);
    for (const [method, path] of routeNames.map((name) => name.split(' ') as [string, string])) {
      if (method !== 'POST' && method !== 'PUT') continue;
      const fields = (piece: string) => Object.fromEntries(fieldNames.map((name) => [name, piece.repeat(fieldLength)]));
      await expectQuick(`${method} ${path}`, (piece) => send(method, path.replace(':id', '1'), fields(piece)));
    }
    await expectQuick('a body', (piece) => send('POST', '/api/token/', piece.repeat(megabyte)));
    await expectQuick('a name', (piece) => send('POST', '/api/token/', { name: piece.repeat(megabyte) }));
    await expectQuick('a field', (piece) => send('POST', '/api/token/', { [piece.repeat(megabyte)]: 1 }));
  });

  it('keep nobody waiting, in any address, question and header', async function () {
    this.timeout(60_000);
    const short = (piece: string) => encodeURIComponent(piece.repeat(8_000)).slice(0, 7_500).replace(/%\w?$/, '');
    for (const [method, path] of routeNames.map((name) => name.split(' ') as [string, string])) {
      if (method !== 'GET') continue;
      if (path.includes(':id')) await expectQuick(path, (piece) => send(method, path.replace(':id', short(piece))));
      await expectQuick(`${path}?keyword`, (piece) =>
        send(method, `${path.replace(':id', '1')}?keyword=${short(piece)}&token_name=${short(piece).slice(0, 300)}`),
      );
    }
    for (const header of [
      'cookie',
      'authorization',
      'new-api-user',
      'origin',
      'accept-language',
      'x-forwarded-for',
      'user-agent',
      'if-none-match',
    ]) {
      await expectQuick(header, (piece) => send('GET', '/api/user/self', undefined, { [header]: `x${piece.repeat(8_000)}x` }));
    }
  });

  it('are no address beyond 8 KB: 414, without a login, on every path', async () => {
    for (const target of [`/api/token/${'a'.repeat(15_000)}`, `/${'a'.repeat(9_000)}`, `/v1/${'a'.repeat(100_000)}`]) {
      const answer = await sendRaw(service.origin, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).to.match(/^HTTP\/1\.1 414 /);
    }
    const missing = (await fetch(`${service.origin}/api/${'a'.repeat(5_000)}`).then((answer) => answer.json())) as {
      error: { message: string };
    };
    expect(missing.error.message).to.have.length.below(400);
  });

  it('answers who wishes for another protocol, names the whole address, or ends his side of the line', async () => {
    const wish = 'GET http://127.0.0.1/api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n';
    expect(await sendRaw(service.origin, wish)).to.match(/^HTTP\/1\.1 200 /);
    expect(await sendRaw(service.origin, 'GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', { ends: true })).to.match(
      /HTTP\/1\.1 200 /,
    );
  });
});
