import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Nginx, orSkip, startCaddy, startNginx } from '@tollgate/testing';
import { expect } from 'chai';
import { startConsole, type TestConsole } from './support/console.ts';
import { setOptions } from './support/options.ts';

const guide = join(import.meta.dirname, '../../../docs/guides/reverse-proxy.md');

/** The examples of the guide, each in front of a console, with its ports and without its TLS. */
describe('behind the proxies of the guide', () => {
  let tollgate: TestConsole;
  let examples: string;
  before(async () => {
    examples = await readFile(guide, 'utf8');
    tollgate = await startConsole({ TRUSTED_PROXIES: '127.0.0.1', API_REQUESTS_PER_MINUTE: '0', CONSOLE_HOSTS: 'ai.example.com' });
    await setOptions(tollgate, { ServerAddress: 'https://ai.example.com' });
  });
  after(() => tollgate.close());

  const example = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(examples)?.[1] ?? '';
  const upstream = () => new URL(tollgate.origin).host;

  const proxies: Record<string, { start(change?: (text: string) => string): Promise<Nginx> }> = {
    nginx: {
      start: (change = (all) => all) =>
        startNginx(({ port, folder }) => {
          const server = change(example('nginx'))
            .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
            .replace(/^ *ssl_certificate.*\n/gm, '')
            .replace('http://127.0.0.1:3000', `http://${upstream()}`);
          const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
          return `pid ${folder}/nginx.pid; error_log stderr warn; events {} http { access_log off; ${folders.join(' ')} ${server} }`;
        }),
    },
    caddy: {
      start: () =>
        startCaddy(({ port }) =>
          example('caddy')
            .replace('ai.example.com {', `http://ai.example.com:${port} {\n\tbind 127.0.0.1`)
            .replace('127.0.0.1:3000', upstream()),
        ),
    },
  };

  for (const [name, { start }] of Object.entries(proxies))
    it(`signs people in and keeps callers apart behind ${name}`, async function () {
      const proxy = await orSkip(this, () => start());
      try {
        await works(proxy);
      } finally {
        await proxy.stop();
      }
    });

  for (const [what, line] of [
    ['passes no Host on', ''],
    ['drops the port from Host', 'proxy_set_header Host $host;'],
  ] as const)
    it(`signs people in behind an nginx that ${what}`, async function () {
      const proxy = await orSkip(
        this,
        () => proxies.nginx?.start((all) => all.replace('proxy_set_header Host $http_host;', line)) as Promise<Nginx>,
      );
      try {
        await works(proxy);
      } finally {
        await proxy.stop();
      }
    });

  async function works({ url }: Nginx): Promise<void> {
    const user = await tollgate.newUser();
    const signIn = (from: string, password: string, origin = 'https://ai.example.com') =>
      ask(url, {
        origin,
        'x-forwarded-for': from,
        'sec-fetch-dest': 'empty',
        body: JSON.stringify({ username: user.username, password }),
      });
    const page = await ask(url, { path: '/api/status' });
    expect(page.status).to.equal(200);
    const good = await signIn('203.0.113.1', 'correct horse');
    expect(good.body, good.body).to.contain('"success":true');
    expect((await signIn('203.0.113.1', 'correct horse', 'https://evil.example')).body)
      .to.contain('origin_refused')
      .and.contain('evil.example');
  }

  function ask(
    url: string,
    { path = '/api/user/login', body, ...headers }: Record<string, string>,
  ): Promise<{ status: number; body: string }> {
    const { hostname, port } = new URL(url);
    const method = body === undefined ? 'GET' : 'POST';
    const all = {
      host: `ai.example.com:${port}`,
      ...headers,
      ...(body && { 'content-type': 'application/json', 'content-length': String(body.length) }),
    };
    return new Promise((resolve, reject) => {
      const sent = request({ hostname, port, method, path, headers: all }, async (answer) =>
        resolve({ status: answer.statusCode ?? 0, body: await text(answer) }),
      );
      sent.on('error', reject).end(body);
    });
  }
});
