import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Channel } from '@tollgate/db';
import { hostileUrls, namedHost, startTrap, withHostileNames } from '@tollgate/testing';
import { expect } from 'chai';
import { type Reply, startConsole, type TestConsole } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { setOptions } from './support/options.ts';

/** What the test of a channel tells is the message alone. */
const wordOf = (message: string) => (message.startsWith('Invalid parameter') ? 'invalid_parameter' : 'egress_refused');

describe('Addresses that lead inside', () => {
  let tollgate: TestConsole;
  let trap: Awaited<ReturnType<typeof startTrap>>;
  let names: ReturnType<typeof withHostileNames>;
  let near: Server;
  let named: string;
  const asked: string[] = [];

  before(async () => {
    names = withHostileNames();
    trap = await startTrap();
    near = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      if (request.url === '/away') return void response.writeHead(307, { location: `http://127.0.0.1:${trap.port}/` }).end();
      const issuer = `${named}/realm`;
      const description = { issuer, authorization_endpoint: `${issuer}/page`, token_endpoint: `${issuer}/token` };
      const message = { role: 'assistant', content: 'Hello' };
      const completion = { data: [{ id: 'gpt-4o' }], choices: [{ index: 0, message, finish_reason: 'stop' }] };
      const body = request.url?.includes('wechat') ? { success: true, data: 'wx-1' } : { ...description, ...completion };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    near.listen(0, '127.0.0.1');
    await once(near, 'listening');
    named = `http://${namedHost}:${(near.address() as AddressInfo).port}`;
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: namedHost });
    await tollgate.root.ok('POST', '/api/channel/', { type: 1, name: 'main', key: 'sk-x', base_url: named, models: 'gpt-4o' });
    await setOptions(tollgate, {
      ServerAddress: 'https://site.example',
      WeChatServerToken: 'x',
      WeChatServerAddress: named,
      OIDCIssuer: `${named}/realm`,
    });
    await setOptions(tollgate, { OIDCClientId: 'us', OIDCClientSecret: 'x', OIDCEnabled: 'true', WeChatAuthEnabled: 'true' });
  });
  after(async () => {
    await tollgate?.close();
    names.restore();
    near.closeAllConnections();
    near.close();
    await trap.close();
  });
  beforeEach(() => {
    asked.length = 0;
  });

  const root = (method: string, path: string, body?: unknown) => tollgate.root.send(method, path, body);
  /** What comes of it when root gives an option this address, and somebody then does what asks there. */
  const byOption = (key: string, use: () => Promise<Reply>) => async (url: string) => {
    const saved = await root('PUT', '/api/option/', { key, value: url });
    if (!saved.success) return saved;
    return use();
  };
  const stored = (fields: (url: string) => object, path: string) => async (url: string) => {
    await Channel.updateOne({ id: 1 }, { $set: fields(url) }); // as if it stood there from before the rules
    return root('GET', path);
  };
  const webhookTest = (webhook_url: string) => root('POST', '/api/user/setting/test', { webhook_url, webhook_form: 'json' });
  const saveWebhook = (webhook_url: string) =>
    root('PUT', '/api/user/setting', { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url });
  const saveChannel = (change: object) =>
    root('POST', '/api/channel/', { type: 1, name: 'x', key: 'sk-x', base_url: named, models: 'gpt-4o', ...change });
  const models = (base_url: string) => root('POST', '/api/channel/fetch_models', { type: 1, key: 'sk-x', base_url });

  interface Door {
    scheme?: 'https';
    /** Names are looked up where they are asked, not where they are saved. */
    looksUp: boolean;
    /** Other than addresses of ours, proxies may have a name and a password. */
    takesCredentials?: boolean;
    /** Nobody may try it often: of numbers it is given every second one. */
    limited?: boolean;
    open(url: string): Promise<Reply>;
    /** Puts back what the others need. */
    close?(): Promise<unknown>;
  }
  const setBack = (values: Record<string, string>) => () => setOptions(tollgate, values);
  const doors: Record<string, () => Door> = {
    'a webhook that is saved': () => ({ scheme: 'https', looksUp: false, open: saveWebhook }),
    'a webhook that is called': () => ({ scheme: 'https', limited: true, looksUp: true, open: webhookTest }),
    'an issuer of OpenID Connect': () => ({
      scheme: 'https',
      limited: true,
      looksUp: true,
      open: byOption('OIDCIssuer', () => tollgate.anonymous.send('GET', '/api/oauth/start?provider=oidc')),
      close: setBack({ OIDCIssuer: `${named}/realm` }),
    }),
    'the WeChat server': () => ({
      scheme: 'https',
      limited: true,
      looksUp: true,
      open: byOption('WeChatServerAddress', () => tollgate.anonymous.send('GET', '/api/oauth/wechat?code=1')),
      close: setBack({ WeChatServerAddress: named }),
    }),
    'the worker': () => ({
      limited: true,
      looksUp: true,
      open: byOption('WorkerUrl', () => webhookTest('https://far.example/hook')),
      close: setBack({ WorkerUrl: '' }),
    }),
    'a channel that is saved': () => ({ looksUp: false, open: (base_url) => saveChannel({ base_url }) }),
    'the proxy of a channel that is saved': () => ({
      looksUp: false,
      takesCredentials: true,
      open: (proxy) => saveChannel({ setting: JSON.stringify({ proxy }) }),
    }),
    'a list of models': () => ({ looksUp: true, open: models }),
    'the list of models of a channel': () => ({ looksUp: true, open: stored((baseUrl) => ({ baseUrl }), '/api/channel/fetch_models/1') }),
    'the test of a channel': () => ({ looksUp: true, open: stored((baseUrl) => ({ baseUrl }), '/api/channel/test/1') }),
    'the balance of a channel': () => ({ looksUp: true, open: stored((baseUrl) => ({ baseUrl }), '/api/channel/update_balance/1') }),
    'the proxy of a channel': () => ({
      looksUp: true,
      takesCredentials: true,
      open: stored((proxy) => ({ baseUrl: named, setting: JSON.stringify({ proxy }) }), '/api/channel/fetch_models/1'),
      close: () => Channel.updateOne({ id: 1 }, { $set: { baseUrl: named, setting: '' } }),
    }),
  };

  for (const [what, doorOf] of Object.entries(doors)) {
    it(`are refused as ${what}, and nobody there is connected to`, async () => {
      const { scheme = 'http', looksUp, takesCredentials = false, limited = false, open, close } = doorOf();
      const { read, lookedUp } = hostileUrls({ port: trap.port, scheme });
      const urls = [...(limited ? read.filter((_url, at) => at % 2 === 0) : read), ...(looksUp ? lookedUp : [])].filter(
        (url) => !takesCredentials || !url.includes('@'),
      );
      expect(urls.length).to.be.at.least(60);
      for (const url of urls) {
        if (limited) await forgetLimits(tollgate, '*');
        const { success, status, message, code = wordOf(message) } = await open(url);
        expect(success, url).to.equal(false);
        expect(status, url).to.be.below(500);
        expect(code, `${url}: ${message}`).to.be.oneOf(['egress_refused', 'invalid_parameter', 'invalid_option', 'webhook_failed']);
        if (code.startsWith('invalid')) expect(message, url).to.match(/must be(?:gin| an)|must not hold/);
        else expect(message, url).to.contain('EGRESS_ALLOW');
      }
      expect(trap.connections()).to.equal(0);
      expect(asked).to.deep.equal([]);
      await close?.();
    });
  }

  it('are reached when EGRESS_ALLOW names their host, as far as that host and no further', async () => {
    expect(await webhookTest(`${named}/hook`)).to.include({ success: true });
    expect(await saveWebhook(`${named}/hook`)).to.include({ success: true });
    expect(await models(named)).to.deep.include({ success: true, data: ['gpt-4o'] });
    expect(await root('GET', '/api/channel/fetch_models/1')).to.deep.include({ success: true, data: ['gpt-4o'] });
    expect((await root('GET', '/api/channel/test/1')).success).to.equal(true);
    await forgetLimits(tollgate, '*');
    const start = await tollgate.anonymous.send<{ url: string }>('GET', '/api/oauth/start?provider=oidc');
    expect(start.data?.url, start.message).to.include(`${named}/realm/page`);
    expect((await tollgate.anonymous.send('GET', '/api/oauth/wechat?code=1')).success).to.equal(true);
    await setOptions(tollgate, { WorkerUrl: `${named}/worker` });
    expect(await webhookTest('https://far.example/hook')).to.include({ success: true });
    await setOptions(tollgate, { WorkerUrl: '' });
    expect(asked).to.include.members(['POST /hook', 'GET /v1/models', 'POST /worker/', 'GET /realm/.well-known/openid-configuration']);

    asked.length = 0;
    expect((await webhookTest(`${named}/away`)).message).to.include('307');
    expect(asked).to.deep.equal(['POST /away']);
    expect(trap.connections(), 'redirects are not followed').to.equal(0);
  });
});
