import { role, tokenStatus, userStatus } from '@tollgate/contracts';
import { Token, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import OpenAI from 'openai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestToken, type TestUser, untilServed } from './support/gateway.ts';

describe('Who may call', () => {
  let gateway: Gateway;
  let user: TestUser;
  let channelId: number;
  const ask = (authorization?: string, headers: Record<string, string> = {}) =>
    gateway.post('/v1/chat/completions', question(), { ...(authorization === undefined ? {} : { authorization }), ...headers });
  const askWith = (token: TestToken) => ask(token.authorization);

  before(async () => {
    gateway = await startGateway({ TRUSTED_PROXIES: '127.0.0.1/32' });
    user = await gateway.user();
    channelId = await gateway.channel({ groups: ['default', 'vip'] });
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());

  it('takes a key with and without Bearer and sk-', async () => {
    for (const form of [`Bearer sk-${user.token.key}`, `sk-${user.token.key}`, user.token.key, `bearer  ${user.token.key}`]) {
      expect((await ask(form)).status, form).to.equal(200);
    }
  });

  it('refuses missing, malformed and unknown keys with 401 and the class of the official client', async () => {
    for (const form of [undefined, '', 'Bearer', 'Bearer sk-', 'Bearer nonsense', `Bearer sk-${'0'.repeat(48)}`, 'x'.repeat(5000)]) {
      const answer = await ask(form);
      expect(answer.status, String(form).slice(0, 40)).to.equal(401);
      const error = await errorOf(answer);
      expect(error.message).to.match(/\(request id: \w+\)$/);
      expect(error.code).to.be.oneOf(['missing_api_key', 'invalid_api_key']);
      expect(answer.headers.get('x-oneapi-request-id')).to.equal(answer.headers.get('x-request-id')).and.not.equal(null);
    }
    const failure = await gateway
      .client('sk-wrong')
      .chat.completions.create(question())
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(OpenAI.AuthenticationError);
  });

  it('says in each dialect that a key of a provider is none of this gateway', async () => {
    const foreign = [
      'sk-proj-abcdefghijkl',
      'sk-ant-api03-x_y-z',
      'sk-or-v1-0123',
      'sk-svcacct-1',
      'sk-ant-123',
      'gsk_abc',
      'AIzaSyD-x',
      'not-used',
      '-1',
    ];
    const openai = (key: string) => gateway.post('/v1/chat/completions', question(), { authorization: `Bearer ${key}` });
    const models = (key: string) => fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const anthropic = (key: string) => gateway.post('/v1/messages', { ...question(), max_tokens: 9 }, { 'x-api-key': key });
    const gemini = (key: string) => gateway.post(`/v1beta/models/test-model:generateContent?key=${key}`, { contents: [] });
    for (const key of foreign) {
      for (const [asked, shown] of [
        [openai, { type: 'authentication_error', code: 'invalid_api_key' }],
        [models, { type: 'authentication_error', code: 'invalid_api_key' }],
        [anthropic, { type: 'authentication_error' }],
        [gemini, { code: 401, status: 'UNAUTHENTICATED' }],
      ] as const) {
        const answer = await asked(key);
        expect(answer.status, key).to.equal(401);
        const error = await errorOf(answer);
        expect(error, key).to.deep.include(shown);
        expect(error.message, key).to.match(/^Invalid token: use an API key that this gateway issued, not one of a provider/);
      }
    }
  });

  it('takes the good one of several credentials, wherever a placeholder is', async () => {
    const good = user.token.authorization;
    const messages = (headers: Record<string, string>) => gateway.post('/v1/messages', { ...question(), max_tokens: 9 }, headers);
    const contents = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
    const google = (query: string, headers: Record<string, string>) =>
      gateway.post(`/v1beta/models/test-model:generateContent${query}`, contents, headers);
    for (const placeholder of ['not-used', 'sk-ant-api03-x', '0'.repeat(48), 'dummy', 'sk-']) {
      expect((await messages({ 'x-api-key': placeholder, authorization: good })).status, placeholder).to.equal(200);
      expect((await messages({ 'x-api-key': user.token.key, authorization: `Bearer ${placeholder}` })).status, placeholder).to.equal(200);
      expect((await google(`?key=${placeholder}`, { authorization: good })).status, placeholder).to.equal(200);
      expect((await google('', { 'x-goog-api-key': placeholder, authorization: good })).status, placeholder).to.equal(200);
    }
    const chat = (headers: Record<string, string>) => gateway.post('/v1/chat/completions', question(), headers);
    const { key } = user.token;
    for (const name of ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'])
      for (const value of [`sk-${key}`, `Bearer sk-${key}`, `Bearer Bearer sk-${key}`]) {
        for (const request of [chat, messages, (headers: Record<string, string>) => google('', headers)])
          expect((await request({ [name]: value })).status, `${name}: ${value}`).to.equal(200);
      }
    const disabled = await gateway.token(user, { status: tokenStatus.disabled });
    expect((await messages({ 'x-api-key': disabled.key, authorization: good })).status, 'a known key decides').to.equal(401);
  });

  it('takes a channel behind the key from administrators only', async () => {
    const admin = await gateway.user({ role: role.admin });
    const other = await gateway.channel({ models: ['elsewhere'], groups: ['nobody'] });
    await eventually(async () => expect((await ask(`${admin.token.authorization}-${other}`)).status).to.equal(200));
    expect((await errorOf(await ask(`${user.token.authorization}-${channelId}`))).code).to.equal('channel_pinning_forbidden');
    expect((await ask(`${admin.token.authorization}-99999`)).status).to.equal(400);
    expect((await ask(`${admin.token.authorization}-abc`)).status).to.equal(401);
    const refusalOf = async (id: number) => (await errorOf(await ask(`${admin.token.authorization}-${id}`))).message;
    expect(await refusalOf(99999)).to.contain('Invalid channel ID');
    await gateway.changeChannel(other, { status: 2 });
    await eventually(async () => expect((await ask(`${admin.token.authorization}-${other}`)).status).to.equal(403));
    expect(await refusalOf(other)).to.contain('This channel has been disabled');
    const unreadable = await gateway.channel({ models: ['elsewhere'], status: 2, baseUrl: 'no address', setting: '{' });
    await eventually(async () => expect(await refusalOf(unreadable)).to.contain('This channel has been disabled'));
  });

  it('refuses expired and disabled tokens, and banned owners', async () => {
    const expired = await gateway.token(user, { expiresAt: new Date(Date.now() - 1000) });
    expect((await errorOf(await askWith(expired))).code).to.equal('token_expired');
    const disabled = await gateway.token(user, { status: tokenStatus.disabled });
    expect((await errorOf(await askWith(disabled))).code).to.equal('token_disabled');
    const banned = await gateway.user({ status: userStatus.disabled });
    const answer = await askWith(banned.token);
    expect(answer.status).to.equal(403);
    expect((await errorOf(answer)).code).to.equal('user_banned');
  });

  it('forgets a token, a user and an unknown key as soon as a notice comes', async () => {
    const token = await gateway.token(user);
    expect((await askWith(token)).status).to.equal(200);
    await Token.updateOne({ id: token.id }, { $set: { deletedAt: new Date() } });
    await gateway.announce('token', token.id);
    await eventually(async () => expect((await askWith(token)).status).to.equal(401));
    await Token.updateOne({ id: token.id }, { $set: { deletedAt: null } });
    await gateway.announce('token', token.id);
    await eventually(async () => expect((await askWith(token)).status).to.equal(200));
    const other = await gateway.user();
    expect((await askWith(other.token)).status).to.equal(200);
    await User.updateOne({ id: other.id }, { $set: { status: userStatus.disabled } });
    await gateway.announce('user', other.id);
    await eventually(async () => expect((await askWith(other.token)).status).to.equal(403));
  });

  it('forgets a token whose notice never came within 2 s', async () => {
    const token = await gateway.token(user);
    expect((await askWith(token)).status).to.equal(200);
    await Token.updateOne({ id: token.id }, { $set: { deletedAt: new Date() } });
    await gateway.redis.incr('config:version'); // told, and heard by nobody
    await eventually(async () => expect((await askWith(token)).status).to.equal(401), { timeoutMs: 2_000 });
  });

  it('lets a token in from its addresses only, blocks included, and believes trusted proxies alone', async () => {
    const here = await gateway.token(user, { allowIps: ['127.0.0.0/8'] });
    expect((await askWith(here)).status).to.equal(200);
    const office = await gateway.token(user, { allowIps: ['203.0.113.0/24', '2001:db8::/32'] });
    expect((await errorOf(await askWith(office))).code).to.equal('ip_not_allowed');
    const from = (addresses: string) => ask(office.authorization, { 'x-forwarded-for': addresses });
    expect((await from('203.0.113.7')).status).to.equal(200);
    expect((await from('2001:db8::1')).status).to.equal(200);
    expect((await from('::ffff:203.0.113.9')).status).to.equal(200);
    expect((await from('203.0.113.7, 198.51.100.1')).status).to.equal(403);
    expect((await from('203.0.113.7, nonsense')).status).to.equal(403);
    const damaged = await gateway.token(user, { allowIps: ['nonsense'] });
    expect((await askWith(damaged)).status).to.equal(403);
  });

  it('keeps a token out of the addresses that it denies, whatever it allows', async () => {
    const token = await gateway.token(user, { allowIps: ['203.0.113.0/24'], denyIps: ['203.0.113.7', '2001:db8::/32'] });
    const from = (address: string) => ask(token.authorization, { 'x-forwarded-for': address });
    expect((await from('203.0.113.8')).status).to.equal(200);
    expect((await errorOf(await from('203.0.113.7'))).code).to.equal('ip_not_allowed');
    const open = await gateway.token(user, { denyIps: ['2001:db8::/32'] });
    const openFrom = (address: string) => ask(open.authorization, { 'x-forwarded-for': address });
    expect((await openFrom('203.0.113.7')).status).to.equal(200);
    expect((await openFrom('2001:db8::1')).status).to.equal(403);
  });

  it('forgets all tokens of one notice', async () => {
    const tokens = await Promise.all([1, 2].map(() => gateway.token(user)));
    for (const token of tokens) expect((await askWith(token)).status).to.equal(200);
    await Token.updateMany({ id: { $in: tokens.map(({ id }) => id) } }, { $set: { deletedAt: new Date() } });
    await gateway.announce('token', tokens.map(({ id }) => id).join(','));
    for (const token of tokens) await eventually(async () => expect((await askWith(token)).status).to.equal(401), { timeoutMs: 1_000 });
  });

  it('keeps a token to its models and to groups that its owner may use', async () => {
    const limited = await gateway.token(user, { modelLimitsEnabled: true, modelLimits: ['other-model'] });
    const answer = await askWith(limited);
    expect(answer.status).to.equal(404);
    expect((await errorOf(answer)).code).to.equal('model_not_found');
    expect((await askWith(await gateway.token(user, { group: 'vip' }))).status).to.equal(200);
    expect((await errorOf(await askWith(await gateway.token(user, { group: 'secret' })))).code).to.equal('group_not_allowed');
    await gateway.options({ UserUsableGroups: JSON.stringify({ default: 'd', vip: 'v', gone: 'g' }) });
    const gone = await gateway.token(user, { group: 'gone' });
    await eventually(async () => expect((await errorOf(await askWith(gone))).code).to.equal('group_not_allowed'));
  });

  it('speaks Chinese to those who ask for it', async () => {
    const answer = await ask('Bearer sk-unknown', { 'accept-language': 'zh-CN,zh;q=0.9' });
    expect((await errorOf(answer)).message).to.match(/^无效的令牌：.+ \(request id: /);
  });
});
