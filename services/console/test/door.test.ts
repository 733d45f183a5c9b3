import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { StatusView } from '@tollgate/contracts';
import { expect } from 'chai';
import { startConsole, type TestConsole } from './support/console.ts';
import { setOptions } from './support/options.ts';

describe('the door', () => {
  let tollgate: TestConsole;
  let web: string;

  before(async () => {
    web = await mkdtemp(join(tmpdir(), 'tollgate-web-'));
    await mkdir(join(web, 'assets'));
    await writeFile(
      join(web, 'index.html'),
      '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script type="module" src="/assets/app-1a2b.js"></script>',
    );
    await writeFile(join(web, 'assets', 'app-1a2b.js'), 'console.log(1)');
    await writeFile(join(web, 'assets', 'lazy-3c4d.js'), 'console.log(2)');
    await writeFile(join(web, 'favicon.svg'), '<svg/>');
    await writeFile(join(web, '..', `${web.split('/').pop()}-secret.txt`), 'secret');
    tollgate = await startConsole({ WEB_DIR: web });
  });
  after(async () => {
    await tollgate.close();
    await rm(web, { recursive: true });
    await rm(`${web}-secret.txt`);
  });

  it('says what everyone may know of the site', async () => {
    const status = await tollgate.anonymous.ok<StatusView>('GET', '/api/status');
    expect(status).to.include({
      system_name: 'Tollgate',
      quota_per_unit: 500_000,
      display_in_currency: true,
      enable_online_topup: false,
      register_enabled: true,
    });
    expect(status.start_time).to.be.closeTo(Date.now() / 1000, 60);
    expect(await tollgate.anonymous.ok('GET', '/api/home_page_content')).to.equal('');
    expect((await tollgate.root.send('GET', '/api/status/test')).message).to.equal('Server is running');
  });

  it('serves the pages: the index never kept, hashed files for a year', async () => {
    for (const path of ['/', '/token', '/user/edit/3', '/index.html']) {
      const page = await fetch(tollgate.origin + path);
      expect(page.headers.get('cache-control'), path).to.equal('no-cache');
      expect(page.headers.get('content-type')).to.contain('text/html');
    }
    const asset = await fetch(`${tollgate.origin}/assets/app-1a2b.js`);
    expect(asset.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(await asset.text()).to.equal('console.log(1)');
    for (const encoding of ['br', 'gzip']) {
      const packed = await fetch(`${tollgate.origin}/assets/app-1a2b.js`, { headers: { 'accept-encoding': encoding } });
      expect(packed.headers.get('content-encoding')).to.equal(encoding);
      expect(packed.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      expect(await packed.text()).to.equal('console.log(1)');
    }
    const plain = await fetch(`${tollgate.origin}/assets/app-1a2b.js`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect((await fetch(`${tollgate.origin}/favicon.svg`)).status).to.equal(200);
    expect((await fetch(`${tollgate.origin}/assets/old-9z.js`)).status).to.equal(404);
    const outside = await fetch(`${tollgate.origin}/assets/..%2f..%2f${web.split('/').pop()}-secret.txt`);
    expect(outside.status).to.equal(404);
  });

  it('goes on with the pages it began with when they are built anew; what they had not is not there, and not kept', async () => {
    await rm(web, { recursive: true });
    await mkdir(join(web, 'assets'), { recursive: true });
    await writeFile(join(web, 'index.html'), '<!doctype html><script type="module" src="/assets/app-5e6f.js"></script>');
    await writeFile(join(web, 'assets', 'app-5e6f.js'), 'console.log(3)');
    expect(await (await fetch(tollgate.origin)).text()).to.contain('/assets/app-1a2b.js');
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding };
      const asset = await fetch(`${tollgate.origin}/assets/lazy-3c4d.js`, { headers });
      expect(asset.status, encoding).to.equal(200);
      expect(await asset.text(), encoding).to.equal('console.log(2)');
      const other = await fetch(`${tollgate.origin}/assets/app-5e6f.js`, { headers });
      expect(other.status, encoding).to.equal(404);
      expect(other.headers.get('cache-control'), encoding).to.equal('no-store');
    }
    const icon = await fetch(`${tollgate.origin}/favicon.svg`);
    expect(icon.headers.get('content-type')).to.contain('image/svg+xml');
    expect((await fetch(`${tollgate.origin}/assets/app-1a2b.js`, { method: 'HEAD' })).status).to.equal(200);
  });

  it('forbids scripts that are not ours, and lets styles in by a nonce that is new each time', async () => {
    const nonces = new Set<string>();
    for (let visit = 0; visit < 2; visit += 1) {
      const page = await fetch(tollgate.origin);
      const nonce = /content="([^"]+)"/.exec(await page.text())?.[1] ?? '';
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy)
        .to.contain(`'nonce-${nonce}'`)
        .and.contain("script-src 'self';")
        .and.contain("frame-ancestors 'none'")
        .and.not.contain('unsafe-eval');
      nonces.add(nonce);
    }
    expect(nonces.size).to.equal(2);
    const headers = (await fetch(`${tollgate.origin}/api/status`)).headers;
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('x-powered-by')).to.equal(null);
    expect(headers.get('x-oneapi-request-id')).to.match(/^\d{14}\w+$/);
  });

  it('lets pages load from the hosts that the operator’s content on them names, and from no others', async () => {
    const policy = async (path: string) => (await fetch(tollgate.origin + path)).headers.get('content-security-policy') ?? '';
    const sources = async (path: string) => {
      const parts = (await policy(path)).split(';').filter((part) => /^(img|frame)-src /.test(part));
      return parts.map((part) => part.replace(" 'self'", '').replace(' data:', ''));
    };
    await setOptions(tollgate, { Chats: '[]' });
    for (const path of ['/', '/about', '/chat/0', '/playground', '/token', '/api/status'])
      expect(await sources(path), path).to.deep.equal(['img-src', 'frame-src']);
    await setOptions(tollgate, {
      Notice: '![n](https://n.example:8443/a.png) and //cdn.example/x',
      About: 'https://about.example/page;script-src',
      HomePageContent: '<img src="https://h.example;x/">',
      Chats: '[{"Chat":"https://chat.example/#/?settings={\\"key\\":\\"{key}\\"}"}]',
    });
    const notice = 'https://cdn.example https://n.example:8443';
    expect(await sources('/playground')).to.deep.equal([`img-src ${notice}`, `frame-src ${notice}`]);
    expect(await sources('/about')).to.deep.equal([`img-src https://about.example ${notice}`, `frame-src https://about.example ${notice}`]);
    expect((await sources('/chat/0'))[1]).to.equal(`frame-src ${notice.replace(' ', ' https://chat.example ')}`);
    expect((await sources('/'))[0], 'a host that would end the directive').to.equal(`img-src ${notice}`);
    await setOptions(tollgate, { Notice: Array.from({ length: 31 }, (_, n) => `https://h${n}.example/`).join(' ') });
    expect((await sources('/token'))[0]).to.equal('img-src https:');
    await setOptions(tollgate, { Notice: '', About: '', HomePageContent: '', Chats: '[]' });
  });

  it('is alive and ready', async () => {
    for (const path of ['/livez', '/readyz']) expect(await (await fetch(tollgate.origin + path)).text()).to.equal('ok\n');
  });

  it('refuses bodies that are no JSON, too large, or compressed, each with a clear message', async () => {
    const put = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      fetch(`${tollgate.origin}/api/user/self`, {
        method: 'PUT',
        body,
        headers: { 'content-type': 'application/json', cookie: tollgate.root.cookie ?? '', 'new-api-user': '1', ...headers },
      });
    const cases = [
      [await put('{"a":'), 400, /not valid JSON/],
      [await put(JSON.stringify({ display_name: 'x'.repeat(3 << 20) })), 413, /larger than 2097152 bytes/],
      [await put(gzipSync('{}'), { 'content-encoding': 'gzip' }), 415, /Content-Encoding \(accepted: identity\)/],
      [await put('a=b', { 'content-type': 'application/x-www-form-urlencoded' }), 200, /Invalid parameter/],
      [await put('"text"'), 400, /not valid JSON/],
    ] as const;
    for (const [answer, status, message] of cases) {
      expect(answer.status).to.equal(status);
      expect(((await answer.json()) as { message: string }).message).to.match(message);
    }
  });

  it('asks strangers who they are before it reads what they send', async () => {
    const answer = await fetch(`${tollgate.origin}/api/channel/`, {
      method: 'POST',
      body: '{"a":',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).to.equal(401);
  });

  it('packs larger answers for who can unpack them', async () => {
    const { root } = tollgate;
    const ask = (encoding: string) => root.send('GET', '/api/models', undefined, { 'accept-encoding': encoding });
    const [packed, plain] = [await ask('gzip'), await ask('identity')];
    expect([packed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).to.deep.equal(['gzip', null]);
    expect(packed.data).to.deep.equal(plain.data);
    expect((await root.send('GET', '/api/notice', undefined, { 'accept-encoding': 'gzip' })).headers.get('content-encoding')).to.equal(
      null,
    );
  });

  it('limits requests from one address', async () => {
    await tollgate.restart({ API_REQUESTS_PER_MINUTE: '3' });
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await fetch(`${tollgate.origin}/api/status`)).status));
    expect(statuses.filter((status) => status === 429)).to.have.length(2);
    expect((await fetch(tollgate.origin)).status).to.equal(200);
    await tollgate.restart();
  });
});
