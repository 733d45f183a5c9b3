import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { type ChannelView, optionKeys, optionRegistry, routeNames, type TokenView } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { createLogger, metrics } from '@tollgate/runtime';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { TOTP } from 'otpauth';
import { startConsole, type TestConsole, testPassword, type Visitor } from './support/console.ts';
import { redisText } from './support/redis-text.ts';

const secretOptions = optionKeys.filter((key) => optionRegistry[key].access === 'secret');
const leaving: string[] = ['GET /api/user/logout', 'GET /api/user/token'];

describe('secrets', () => {
  let tollgate: TestConsole;
  let logged = '';
  before(async () => {
    const sink = new Writable({
      write(line, _encoding, done) {
        logged += line;
        done();
      },
    });
    const nowhere = 'http://127.0.0.1:9';
    const env = { API_REQUESTS_PER_MINUTE: '0', STRIPE_ADDRESS: nowhere, EGRESS_ALLOW: '127.0.0.1' };
    tollgate = await startConsole(env, createLogger({ service: 'console', level: 'trace' }, sink));
  });
  after(() => tollgate.close());

  it('stand in no answer, no log line, no stored text, whatever happens', async () => {
    const user = await tollgate.newUser();
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'mine', unlimited_quota: true });
    const channelBody = { name: 'c', type: 1, key: 'canary-channel-key', models: 'm' };
    const [channel] = await tollgate.root.ok<ChannelView[]>('POST', '/api/channel/', channelBody);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ServerAddress', value: 'https://site.example' }); // payment needs it
    for (const key of secretOptions) await tollgate.root.ok('PUT', '/api/option/', { key, value: `canary-${key}` });
    await user.ok('PUT', '/api/user/setting', {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: 'https://example.com',
      webhook_secret: 'canary-hook',
    });
    await user.ok('PUT', '/api/user/self', { password: 'canary-password', original_password: testPassword });
    await user.send('PUT', '/api/user/self', { password: 'canary-another', original_password: 'canary-original' });
    const { secret: seed } = await tollgate.root.ok<{ secret: string }>('POST', '/api/user/2fa/setup', { password: 'root for tests' });
    const code = new TOTP({ secret: seed }).generate();
    const { backup_codes: recovery } = await tollgate.root.ok<{ backup_codes: string[] }>('POST', '/api/user/2fa/enable', { code });
    await tollgate.root.send('POST', '/api/user/2fa/disable', { code: 'canary-code' });
    await tollgate.anonymous.send('GET', '/api/oauth/github?code=canary-code&state=canary-state');
    const accessToken = await tollgate.root.ok<string>('GET', '/api/user/token');
    await tollgate.anonymous.send('POST', '/api/user/login', { username: user.username, password: 'canary-wrong' });
    await tollgate.anonymous.send('GET', '/api/user/self', undefined, { authorization: 'Bearer canary-access' });
    await tollgate.root.send('PUT', '/api/option/', '{"key":"EpayKey","value":"canary-broken');
    await tollgate.root.send('PUT', '/api/channel/', { id: channel?.id, key: { canary: 'canary-odd' } });

    let answers = await wholeFlows(await tollgate.newUser(), channel?.id ?? 0);
    for (const name of routeNames.filter((route) => route.startsWith('GET') && !leaving.includes(route))) {
      const path = (name.split(' ')[1] ?? '').replace(':id', String(name.includes('/user/') ? user.id : channel?.id));
      answers += JSON.stringify(await tollgate.root.send('GET', path));
    }
    for (const list of ['channel', 'token', 'user', 'log', 'order', 'redemption', 'audit', 'mj', 'task'])
      for (const format of ['csv', 'json']) answers += await fileOf(`/api/${list}/export?format=${format}`);
    answers += await metrics.metrics();
    const kept = await redisText(tollgate.redisUrl);
    expect(kept).to.contain('send-notice');
    const hashes = (await User.find().select('+passwordHash +accessTokenHash').lean()).flatMap((row) => [
      row.passwordHash,
      row.accessTokenHash,
    ]);
    const secrets = [...hashes, seed, ...recovery, accessToken, token.key, testPassword, tollgate.root.cookie?.slice(8), 'canary'].filter(
      (text) => typeof text === 'string',
    );
    for (const secret of secrets) {
      expect(answers.includes(secret), `answered: ${secret}`).to.equal(false);
      expect(logged.includes(secret), `logged: ${secret}`).to.equal(false);
      if (secret !== tollgate.root.cookie?.slice(8)) expect(kept.includes(secret), `kept in Redis: ${secret}`).to.equal(false);
    }
    expect(logged).to.contain('request refused');
    const stored = await User.db.db?.collections();
    for (const collection of stored ?? []) {
      const text = JSON.stringify(await collection.find({}).toArray());
      for (const secret of ['canary', seed, ...recovery, token.key, accessToken, testPassword])
        expect(text.includes(secret), `${collection.collectionName}: ${secret}`).to.equal(false);
    }
  }).timeout(180_000);

  /** Orders, webhooks, mails, tests and sign-ins, most of which fail on their way out with a secret in their hands; returns all that was answered. */
  async function wholeFlows(user: Visitor, channelId: number): Promise<string> {
    const { root, anonymous } = tollgate;
    const nowhere = 'http://127.0.0.1:9';
    const options = {
      PayAddress: 'https://pay.example',
      EpayId: '1001',
      SMTPServer: '127.0.0.1',
      SMTPPort: '9',
      SMTPAccount: 'me@site.example',
    };
    const providers = {
      WeChatServerAddress: nowhere,
      TelegramBotName: 'bot',
      OIDCIssuer: nowhere,
      OIDCClientId: 'id',
      GitHubClientId: 'id',
      GitHubAddress: nowhere,
    };
    for (const [key, value] of Object.entries({ ...options, ...providers })) await root.ok('PUT', '/api/option/', { key, value });
    for (const key of ['WeChatAuthEnabled', 'TelegramOAuthEnabled', 'OIDCEnabled', 'GitHubOAuthEnabled'])
      await root.ok('PUT', '/api/option/', { key, value: 'true' });
    const told: unknown[] = [];
    const order = await user.send('POST', '/api/user/pay', { amount: 10, payment_method: 'zfb' });
    told.push(order);
    const { out_trade_no = '', money = '' } = (order as unknown as { data: Record<string, string> }).data;
    const paid = { money, out_trade_no, pid: '1001', trade_no: 'epay-1', trade_status: 'TRADE_SUCCESS' };
    const sign = createHash('md5')
      .update(`${new URLSearchParams(paid)}canary-EpayKey`)
      .digest('hex');
    for (const query of [`${new URLSearchParams({ ...paid, sign })}`, `${new URLSearchParams({ ...paid, sign: 'wrong' })}`])
      told.push(await (await fetch(`${tollgate.origin}/api/user/epay/notify?${query}`)).text());
    expect(told).to.include('success');
    told.push(await user.send('POST', '/api/user/stripe/pay', { amount: 10 }));
    const event = { method: 'POST', headers: { 'stripe-signature': 't=1,v1=00', 'content-type': 'application/json' }, body: '{}' };
    told.push(await (await fetch(`${tollgate.origin}/api/user/stripe/webhook`, event)).text());
    told.push(await root.send('POST', '/api/option/test_mail', { email: 'you@site.example' }));
    told.push(
      await user.send('POST', '/api/user/setting/test', {
        webhook_url: 'https://127.0.0.1:9',
        webhook_secret: 'canary-hook',
        webhook_form: 'json',
      }),
    );
    const hook = {
      notify_type: 'webhook',
      quota_warning_threshold: 1,
      webhook_url: 'https://127.0.0.1:9',
      webhook_secret: 'canary-root-hook',
    };
    told.push(await root.send('PUT', '/api/user/setting', hook));
    told.push(await root.send('PUT', '/api/channel/', { id: channelId, base_url: nowhere, key: 'canary-channel-key' }));
    told.push(await root.send('GET', `/api/channel/test/${channelId}`), await root.send('GET', `/api/channel/fetch_models/${channelId}`));
    told.push(await root.send('GET', `/api/channel/update_balance/${channelId}`), await root.send('GET', '/api/channel/test'));
    for (const way of ['wechat?code=1234', 'oidc', 'github?code=x&state=y', 'telegram/login?id=1&auth_date=1&hash=00'])
      told.push(await anonymous.send('GET', `/api/oauth/${way}`));
    await eventually(async () => expect(await redisText(tollgate.redisUrl)).to.contain('send-notice'), { timeoutMs: 30_000 });
    return JSON.stringify(told);
  }

  async function fileOf(path: string): Promise<string> {
    const { id, cookie = '' } = tollgate.root;
    return (await fetch(`${tollgate.origin}${path}`, { headers: { 'new-api-user': String(id), cookie } })).text();
  }
});
