import type { LoginView, UserView } from '@tollgate/contracts';
import { Passkey, User } from '@tollgate/db';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { cookieOf, startConsole, type TestConsole, testPassword } from './support/console.ts';

const github = [
  { key: 'GitHubClientId', value: 'id' },
  { key: 'GitHubClientSecret', value: 'secret' },
  { key: 'GitHubOAuthEnabled', value: 'true' },
];

describe('signing in', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole();
  });
  after(() => tollgate.close());
  afterEach(() => forgetLimits());

  it('makes the first root once, with its quota from the ledger', async () => {
    expect(await tollgate.root.ok<UserView>('GET', '/api/user/self')).to.include({
      id: 1,
      username: 'root',
      role: 100,
      quota: 100_000_000,
    });
    await tollgate.restart();
    const root = await tollgate.signIn('root', 'root for tests');
    expect((await root.ok<UserView>('GET', '/api/user/self')).quota).to.equal(100_000_000);
    expect(await User.countDocuments()).to.equal(1);
  });

  it('answers the user and sets a cookie that scripts and other sites cannot use', async () => {
    const { username } = await tollgate.newUser();
    const reply = await tollgate.anonymous.send<LoginView>('POST', '/api/user/login', {
      username: ` ${username} `,
      password: testPassword,
    });
    expect(reply.data).to.include({ username, role: 1, status: 1, group: 'default', factory_password: false, password: '' });
    expect(reply.message).to.equal('');
    const [cookie = ''] = reply.headers.getSetCookie();
    expect(cookie).to.match(/^session=.+; Max-Age=2592000; Path=\/; .*HttpOnly; SameSite=Strict$/);
    expect(cookie).not.to.contain('Secure');
  });

  it('marks the cookie Secure behind a trusted proxy that speaks https, and believes no other', async () => {
    const { username } = await tollgate.newUser();
    const https = { 'x-forwarded-proto': 'https' };
    const login = { username, password: testPassword };
    const untrusted = await tollgate.anonymous.send('POST', '/api/user/login', login, https);
    expect(untrusted.headers.getSetCookie()[0]).not.to.contain('Secure');
    await tollgate.restart({ TRUSTED_PROXIES: '127.0.0.1' });
    const trusted = await tollgate.anonymous.send('POST', '/api/user/login', login, https);
    expect(trusted.headers.getSetCookie()[0]).to.contain('Secure');
    await tollgate.restart();
  });

  it('gives a wrong password, an unknown name and a banned account the same answer', async () => {
    const banned = await tollgate.newUser();
    const other = await tollgate.newUser();
    await tollgate.root.ok('POST', '/api/user/manage', { id: banned.id, action: 'disable' });
    const attempts = [
      { username: other.username, password: 'wrong' },
      { username: 'nobody', password: 'wrong' },
      { username: 'nobody@example.com', password: 'wrong' },
      { username: banned.username, password: testPassword },
    ];
    for (const attempt of attempts) {
      const reply = await tollgate.anonymous.send('POST', '/api/user/login', attempt);
      expect(reply).to.include({ status: 200, success: false, message: 'Username or password is incorrect, or user has been banned' });
      expect(cookieOf(reply.headers)).to.equal(undefined);
    }
  });

  it('speaks Chinese to who asks for it', async () => {
    const reply = await tollgate.anonymous.send(
      'POST',
      '/api/user/login',
      { username: 'x', password: 'y' },
      { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8' },
    );
    expect(reply.message).to.equal('用户名或密码错误，或用户已被封禁');
    const invalid = await tollgate.anonymous.send('POST', '/api/user/login', { username: 5, password: 'y' }, { 'accept-language': 'zh' });
    expect(invalid.message).to.equal('无效的参数：username: 必须是文本');
  });

  it('takes as long for an unknown name as for a wrong password', async () => {
    const { username } = await tollgate.newUser();
    const medians = { unknown: 0, wrong: 0 };
    for (const [kind, name] of [
      ['unknown', 'nobody'],
      ['wrong', username],
    ] as const) {
      const times: number[] = [];
      for (let round = 0; round < 7; round += 1) {
        await forgetLimits();
        const start = performance.now();
        await tollgate.anonymous.send('POST', '/api/user/login', { username: name, password: 'wrong' });
        times.push(performance.now() - start);
      }
      medians[kind] = times.sort((a, b) => a - b)[3] ?? 0;
    }
    expect(medians.unknown).to.be.within(medians.wrong / 3, medians.wrong * 3);
  });

  it('refuses the sixth wrong attempt on an account in a minute, also with the right password', async () => {
    const { username } = await tollgate.newUser();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect((await tollgate.anonymous.send('POST', '/api/user/login', { username, password: 'wrong' })).status).to.equal(200);
    }
    const refused = await tollgate.anonymous.send('POST', '/api/user/login', { username: username.toUpperCase(), password: testPassword });
    expect(refused).to.include({ status: 429, success: false, message: 'Too many requests, please try again later' });
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
  });

  it('refuses the 21st wrong attempt from an address, whatever a stranger says in X-Forwarded-For', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 21; attempt += 1) {
      const reply = await tollgate.anonymous.send(
        'POST',
        '/api/user/login',
        { username: `n${attempt}`, password: 'x' },
        { 'x-forwarded-for': `9.9.9.${attempt}` },
      );
      statuses.push(reply.status);
    }
    expect(statuses.slice(0, 20)).to.deep.equal(Array(20).fill(200));
    expect(statuses[20]).to.equal(429);
  });

  it('warns who signs in with the factory password', async () => {
    await tollgate.close();
    tollgate = await startConsole({ INITIAL_ROOT_PASSWORD: '123456' });
    const reply = await tollgate.anonymous.send<LoginView>('POST', '/api/user/login', { username: 'root', password: '123456' });
    expect(reply).to.include({ success: true, message: 'You are using the default password, which is publicly known. Change it now.' });
    expect(reply.data.factory_password).to.equal(true);
    const zh = await tollgate.anonymous.send(
      'POST',
      '/api/user/login',
      { username: 'root', password: '123456' },
      { 'accept-language': 'zh' },
    );
    expect(zh.message).to.equal('您正在使用默认密码，请立即修改！');
  });

  it('says so when an administrator has switched passwords off', async () => {
    await User.updateOne({ id: 1 }, { $set: { githubId: '1' } });
    await tollgate.root.ok('PUT', '/api/option/batch', { options: [...github, { key: 'PasswordLoginEnabled', value: 'false' }] });
    const reply = await tollgate.anonymous.send('POST', '/api/user/login', { username: 'root', password: '123456' });
    expect(reply.message).to.equal('Administrator has disabled password login');
    await tollgate.root.ok('PUT', '/api/option/', { key: 'PasswordLoginEnabled', value: 'true' });
  });

  it('refuses every change that takes root its last working way to sign in', async () => {
    const put = async (key: string, value: string) => (await tollgate.root.send('PUT', '/api/option/', { key, value })).code;
    const putAll = (...options: { key: string; value: string }[]) => tollgate.root.send('PUT', '/api/option/batch', { options });
    const off = { key: 'PasswordLoginEnabled', value: 'false' };
    await User.updateOne({ id: 1 }, { $set: { githubId: '1' } });
    await putAll(...github.map(({ key }) => ({ key, value: key === 'GitHubOAuthEnabled' ? 'false' : '' })));
    const refused = await tollgate.root.send('PUT', '/api/option/', off);
    expect(refused, 'bound, but not enabled').to.include({ success: false, code: 'own_last_way_in' });
    expect(refused.message).to.contain('could no longer sign in');
    expect((await putAll(off)).success).to.equal(false);
    expect((await putAll(...github, off)).success).to.equal(true);
    expect(await put('GitHubOAuthEnabled', 'false')).to.equal('own_last_way_in');
    expect(await put('GitHubClientId', ''), 'needed by what is enabled').to.equal('own_last_way_in');
    expect((await tollgate.root.send('DELETE', '/api/oauth/github')).code).to.equal('last_way_in');
    expect((await tollgate.root.send('DELETE', '/api/user/1/bindings/github')).code).to.equal('last_way_in');
    await Passkey.create({ id: 'p1', userId: 1, name: 'key', publicKey: 'x', counter: 0, createdAt: new Date() });
    await tollgate.root.ok('DELETE', '/api/oauth/github');
    expect((await tollgate.root.send('DELETE', '/api/user/passkey/p1')).code).to.equal('last_way_in');
    expect((await tollgate.root.send('DELETE', '/api/user/1/reset_passkey')).code).to.equal('last_way_in');
    expect(await put('PasswordLoginEnabled', 'true')).to.equal(undefined);
    await tollgate.root.ok('DELETE', '/api/user/passkey/p1');
    expect(await put('PasswordLoginEnabled', 'false')).to.equal('own_last_way_in');
    expect(await put('SystemName', 'Other')).to.equal(undefined);
  });

  async function forgetLimits(): Promise<void> {
    const redis = new Redis(tollgate.redisUrl);
    const keys = await redis.keys('limit:sign-in:*');
    if (keys.length > 0) await redis.del(...keys);
    redis.disconnect();
  }
});
