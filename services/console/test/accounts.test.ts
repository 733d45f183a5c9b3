import { request } from 'node:http';
import type { LoginView, UserView } from '@tollgate/contracts';
import { LedgerEntry, User } from '@tollgate/db';
import { createLogger } from '@tollgate/runtime';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { TOTP } from 'otpauth';
import { ensureFirstRoot } from '../src/auth/first-root.ts';
import { createPasswords } from '../src/auth/passwords.ts';
import { networkOf } from '../src/http/known-hosts.ts';
import { cookieOf, startConsole, type TestConsole, testPassword, type Visitor } from './support/console.ts';

describe('accounts', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
  });
  after(() => tollgate.close());

  it('give up a password only to who knows it', async () => {
    const user = await tollgate.newUser();
    const change = (body: object) => user.send('PUT', '/api/user/self', { password: 'another password', ...body });
    expect(await change({})).to.include({
      code: 'original_password_needed',
      message: 'The current password is missing: send it as original_password, or send a two-factor code as code',
    });
    expect((await change({ original_password: 'wrong' })).code).to.equal('wrong_original_password');
    expect((await change({ original_password: testPassword, password: testPassword })).message).to.contain(
      'the new password is the old one',
    );
    await user.ok('PUT', '/api/user/self', { display_name: 'needs no password' });
    expect((await change({ original_password: testPassword })).success).to.equal(true);
    await tollgate.signIn(user.username, 'another password');
  });

  it('count wrong old passwords like wrong ones at the door', async () => {
    const user = await tollgate.newUser();
    const body = { password: 'another password', original_password: 'wrong' };
    for (let attempt = 0; attempt < 5; attempt += 1) await user.send('PUT', '/api/user/self', body);
    expect((await user.send('PUT', '/api/user/self', { ...body, original_password: testPassword })).status).to.equal(429);
  });

  it('lose their access token with a new password, their own or an administrator’s', async () => {
    for (const reset of ['own', 'admin']) {
      const user = await tollgate.newUser();
      const accessToken = await user.ok<string>('GET', '/api/user/token');
      const byToken = () =>
        tollgate.anonymous.send('GET', '/api/user/self', undefined, { authorization: accessToken, 'new-api-user': String(user.id) });
      expect((await byToken()).success).to.equal(true);
      if (reset === 'admin') await tollgate.root.ok('PUT', '/api/user/', { id: user.id, password: 'another password' });
      else await user.ok('PUT', '/api/user/self', { password: 'another password', original_password: testPassword });
      expect((await byToken()).code, reset).to.equal('invalid_access_token');
    }
  });

  describe('under attack', () => {
    let stranger: string;
    before(async () => {
      await tollgate.restart({ TRUSTED_PROXIES: '127.0.0.1' });
      stranger = '203.0.113.7';
    });
    after(() => tollgate.restart());
    afterEach(async () => {
      const redis = new Redis(tollgate.redisUrl);
      const keys = await redis.keys('limit:sign-in:*');
      if (keys.length > 0) await redis.del(...keys);
      redis.disconnect();
    });

    const attempt = (body: object, address: string, cookie?: string) =>
      tollgate.anonymous.send<LoginView>('POST', '/api/user/login', body, { 'x-forwarded-for': address, ...(cookie && { cookie }) });

    it('are not locked for their owner by a stranger’s wrong passwords', async () => {
      const { username } = await tollgate.newUser();
      for (let round = 0; round < 6; round += 1) await attempt({ username, password: 'wrong' }, stranger);
      expect((await attempt({ username, password: testPassword }, stranger)).status).to.equal(429);
      expect((await attempt({ username, password: testPassword }, '198.51.100.1')).success).to.equal(true);
    });

    it('are one account, in whichever letters their name is tried', async () => {
      const { username } = await tollgate.newUser();
      const wide = (name: string): string => name.replace(/[!-~]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
      const names = [
        username,
        username.toUpperCase(),
        wide(username),
        wide(username.toUpperCase()),
        `${wide(username[0] ?? '')}${username.slice(1)}`,
      ];
      for (const name of names)
        expect((await attempt({ username: name, password: testPassword }, '198.51.100.7')).success, name).to.equal(true);
      for (const name of names) expect((await attempt({ username: name, password: 'wrong' }, stranger)).status, name).to.equal(200);
      expect(
        (await attempt({ username: `${username.slice(0, -1)}${wide(username.slice(-1))}`, password: 'wrong' }, stranger)).status,
      ).to.equal(429);
    });

    it('are not kept from their own deeds by who signs in under the names of counts', async () => {
      const user = await tollgate.newUser();
      for (const name of [`password of ${user.id}`, `second factor of ${user.id}`]) {
        const rounds = Array.from({ length: 101 }, (_, round) => attempt({ username: name, password: 'wrong' }, `203.0.${round}.2`));
        expect((await Promise.all(rounds)).some(({ status }) => status === 429)).to.equal(true);
      }
      const { secret } = await user.ok<{ secret: string }>('POST', '/api/user/2fa/setup', { password: testPassword });
      await user.ok('POST', '/api/user/2fa/enable', { code: new TOTP({ secret }).generate() });
    });

    it('let a known device in whatever others do, from any address', async () => {
      const { username } = await tollgate.newUser();
      const other = await tollgate.newUser();
      const first = await attempt({ username, password: testPassword }, '198.51.100.2');
      const device = first.headers.getSetCookie().find((cookie) => cookie.startsWith('device=')) ?? '';
      expect(device).to.match(/Path=\/api\/user\/login; .*HttpOnly; SameSite=Strict/);
      const cookie = device.split(';')[0];
      const rounds = Array.from({ length: 101 }, (_, round) => attempt({ username, password: 'wrong' }, `203.0.${round}.1`));
      expect((await Promise.all(rounds)).some(({ status }) => status === 429)).to.equal(true);
      expect((await attempt({ username, password: testPassword }, '198.51.100.3')).status, 'a new device waits').to.equal(429);
      expect((await attempt({ username, password: testPassword }, '198.51.100.3', cookie)).success).to.equal(true);
      for (const forged of [`${cookie}x`, 'device=none'])
        expect((await attempt({ username, password: 'wrong' }, '198.51.100.4', forged)).status).to.equal(429);
      for (let round = 0; round < 20; round += 1) await attempt({ username: `n${round}`, password: 'x' }, '198.51.100.5');
      expect(
        (await attempt({ username: other.username, password: testPassword }, '198.51.100.5', cookie)).status,
        'it is no other’s',
      ).to.equal(429);
      expect((await attempt({ username, password: testPassword }, '198.51.100.5', cookie)).success).to.equal(true);
      for (let round = 0; round < 10; round += 1) await attempt({ username, password: 'wrong' }, '198.51.100.6', cookie);
      expect((await attempt({ username, password: 'wrong' }, '198.51.100.6', cookie)).status, 'its own mistakes count').to.equal(429);
    });

    it('count all addresses of one IPv6 customer as one', async () => {
      const { username } = await tollgate.newUser();
      for (let round = 0; round < 5; round += 1) await attempt({ username, password: 'wrong' }, `2001:db8:1:2:${round}::${round}`);
      expect((await attempt({ username, password: 'wrong' }, '2001:db8:1:2:ffff::1')).status).to.equal(429);
      expect((await attempt({ username, password: 'wrong' }, '2001:db8:1:3::1')).status).to.equal(200);
      expect(networkOf('::ffff:192.0.2.1')).to.equal('192.0.2.1');
    });
  });

  it('call http addresses only for administrators, and where the operator named the host', async () => {
    await tollgate.restart({ EGRESS_ALLOW: 'hooks.lan,10.0.0.0/8' });
    const user = await tollgate.newUser();
    const admin = await tollgate.newUser({ admin: true });
    const put = (who: Visitor, webhook_url: string) =>
      who.send('PUT', '/api/user/setting', { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url });
    for (const url of ['http://hooks.lan/x', 'http://10.1.2.3/x']) {
      expect((await put(admin, url)).success, url).to.equal(true);
      // What users type goes by their own policy, https or not.
      expect((await put(user, url)).code, url).to.be.oneOf(['address_needs_https', 'egress_refused']);
    }
    expect((await put(admin, 'http://example.com/x')).code).to.equal('address_needs_https');
    expect((await put(admin, 'http://192.168.0.1/x')).code).to.equal('egress_refused');
    expect((await put(user, 'https://192.168.0.1/x')).code).to.equal('egress_refused');
    expect((await put(user, 'https://10.1.2.3/x')).code, 'an operator’s network').to.equal('egress_refused');
    expect((await put(user, 'https://example.com/x')).success).to.equal(true);
    await tollgate.restart();
  });
});

describe('the first visitor beyond loopback', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
  });
  after(() => tollgate.close());

  it('finds a password that was made and printed once, and can only choose another with it', async () => {
    await Promise.all([User.deleteMany({}), LedgerEntry.deleteMany({})]);
    const printed: string[] = [];
    const first = { initialPassword: undefined, print: (line: string) => void printed.push(line) };
    const wallet = { open: async () => {}, post: async () => ({ state: 'applied' as const, first: true, balance: 0 }) };
    const context = {
      passwords: createPasswords(),
      wallet,
      log: createLogger({ service: 'console', level: 'silent' }),
      isLocalOnly: false,
    };
    await ensureFirstRoot(context as never, first);
    await ensureFirstRoot(context as never, first);
    expect(printed).to.have.length(1);
    const password = /password (\S+)/.exec(printed[0] ?? '')?.[1] ?? '';
    expect(password).to.match(/^[\w-]{20}$/);
    await tollgate.restart({ PUBLIC_HOST: '0.0.0.0' });

    const reply = await tollgate.anonymous.send<LoginView>('POST', '/api/user/login', { username: 'root', password });
    expect(reply.data).to.include({ factory_password: true });
    const cookie = cookieOf(reply.headers) ?? '';
    const send = (method: string, path: string, body?: object) =>
      tollgate.anonymous.send<UserView>(method, path, body, { cookie, 'new-api-user': String(reply.data.id) });
    for (const path of ['/api/user/token', '/api/option/', '/api/token/', '/api/channel/'])
      expect((await send('GET', path)).code, path).to.equal('password_must_change');
    expect((await send('GET', '/api/user/self')).success).to.equal(true);
    expect((await send('PUT', '/api/user/self', { password: 'my own password', original_password: password })).success).to.equal(true);
    const root = await tollgate.signIn('root', 'my own password');
    await root.ok('GET', '/api/option/');
  });

  it('cannot use the password that everybody knows', async () => {
    await User.updateOne({ username: 'root' }, { passwordHash: await createPasswords().hash('123456') });
    const reply = await tollgate.anonymous.send('POST', '/api/user/login', { username: 'root', password: '123456' });
    expect(reply).to.include({ success: false, code: 'factory_password_refused' });
    await tollgate.restart({ PUBLIC_HOST: '127.0.0.1' });
    await tollgate.signIn('root', '123456');
  });

  it('finds nothing that has started while root has the password that everybody knows, or would be given it', async () => {
    const context = { passwords: createPasswords(), log: createLogger({ service: 'console', level: 'silent' }), isLocalOnly: false };
    const start = (initialPassword?: string) => ensureFirstRoot(context as never, { initialPassword, print: () => undefined });
    const refusal = async (initialPassword?: string) => String(await start(initialPassword).catch((error: Error) => error.message));
    expect(await refusal())
      .to.contain('HOST=127.0.0.1')
      .and.to.contain('change it');
    await Promise.all([User.deleteMany({}), LedgerEntry.deleteMany({})]);
    expect(await refusal('123456'))
      .to.contain('INITIAL_ROOT_PASSWORD')
      .and.to.contain('Choose another');
    expect(await User.countDocuments({})).to.equal(0);
  });
});

describe('the console', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', CONSOLE_HOSTS: 'gateway.lan' });
  });
  after(() => tollgate.close());

  it('answers only to hosts it knows, so that no page of another site can be pointed at it', async () => {
    const answer = (host: string, path = '/api/pricing') =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        request(`${tollgate.origin}${path}`, { headers: { host } }, (response) => {
          let text = '';
          response.on('data', (part) => {
            text += String(part);
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        })
          .on('error', reject)
          .end();
      });
    for (const host of [
      'localhost',
      'localhost:3000',
      'x.localhost',
      '127.0.0.1',
      '[::1]:3000',
      '10.2.3.4:3000',
      'gateway.lan',
      'GATEWAY.lan:80',
    ])
      expect((await answer(host)).status, host).to.equal(200);
    for (const host of ['evil.example', 'localhost.evil.example', 'gateway.lan.evil.example', 'site.example']) {
      const refused = await answer(host);
      expect(refused.status, host).to.equal(421);
      expect(refused.text).to.contain('CONSOLE_HOSTS').and.to.contain('ServerAddress');
    }
    expect((await answer('evil.example', '/')).status).to.equal(421);
    expect((await answer('evil.example', '/readyz')).status, 'probes say any host').to.equal(200);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ServerAddress', value: 'https://site.example:8443' });
    expect((await answer('site.example')).status).to.equal(200);
  });
});
