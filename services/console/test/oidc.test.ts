import { generateKeyPairSync } from 'node:crypto';
import { Writable } from 'node:stream';
import type { UserView } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { createLogger } from '@tollgate/runtime';
import { expect } from 'chai';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { type Lies, type OidcProvider, oidcClient, startOidcProvider } from './support/oidc-provider.ts';
import { setOptions } from './support/options.ts';

describe('people who come through OpenID Connect', () => {
  let tollgate: TestConsole;
  let provider: OidcProvider;
  let logged = '';
  let realm = 0;

  before(async () => {
    provider = await startOidcProvider();
    const sink = new Writable({
      write(line, _encoding, done) {
        logged += line;
        done();
      },
    });
    tollgate = await startConsole(
      { API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' },
      createLogger({ service: 'console', level: 'trace' }, sink),
    );
    await setOptions(tollgate, {
      ServerAddress: 'https://site.example',
      OIDCIssuer: provider.issuer,
      OIDCClientId: oidcClient.id,
      OIDCClientSecret: oidcClient.secret,
      OIDCName: 'Works',
      OIDCGroupClaim: 'groups',
      OIDCGroupMap: '{"admins":"vip","staff":"svip"}',
      OIDCEnabled: 'true',
    });
  });
  after(async () => {
    await tollgate.close();
    provider.close();
  });
  beforeEach(() => forgetLimits(tollgate, 'critical'));

  const begin = async (who: Visitor = tollgate.anonymous) => {
    const reply = await who.send<{ url: string }>('GET', '/api/oauth/start?provider=oidc');
    expect(reply.success, reply.message).to.equal(true);
    const mark = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { url: reply.data.url, headers: { cookie: [mark, who.cookie].filter(Boolean).join('; ') } };
  };
  const comeBack = (query: URLSearchParams, headers: Record<string, string>) =>
    tollgate.anonymous.send<UserView | null>('GET', `/api/oauth/oidc?${query}`, undefined, headers);
  const come = async (claims: Record<string, unknown>, who?: Visitor) => {
    const { url, headers } = await begin(who);
    return comeBack(provider.agree(url, claims), headers);
  };
  const newRealm = async () => {
    realm += 1;
    provider.issuer = new URL(`/realm-${realm}`, provider.issuer).href;
    await setOptions(tollgate, { OIDCIssuer: provider.issuer });
  };
  /** What comes of a provider that lies, under another name: the description of one is kept for a while. */
  const comeThrough = async (lies: Lies) => {
    provider.lies = lies;
    await newRealm();
    try {
      const reply = await tollgate.anonymous.send<{ url: string }>('GET', '/api/oauth/start?provider=oidc');
      if (!reply.success) return reply;
      const mark = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      return await comeBack(provider.agree(reply.data.url, { sub: 'liar' }), { cookie: mark });
    } finally {
      provider.lies = {};
    }
  };

  it('asks with PKCE, a nonce and a state, and registers whoever is new', async () => {
    const { url, headers } = await begin();
    const asked = new URL(url).searchParams;
    expect(Object.fromEntries(asked)).to.include({
      client_id: oidcClient.id,
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: 'https://site.example/oauth/oidc',
      scope: 'openid profile email',
    });
    for (const name of ['code_challenge', 'nonce', 'state']) expect(asked.get(name), name).to.have.length.at.least(32);
    const claims = { sub: 'grace', name: 'Grace', email: 'Grace@Works.example', email_verified: true, groups: ['others', 'staff'] };
    const query = provider.agree(url, claims);
    const first = await comeBack(query, headers);
    expect(first.data).to.include({
      display_name: 'Grace',
      email: 'grace@works.example',
      group: 'svip',
      oidc_id: `${provider.issuer} grace`,
    });
    expect((await comeBack(query, headers)).code, 'a state is good once').to.equal('oauth_state_invalid');
    const again = await come({ sub: 'grace', groups: 'admins' });
    expect(again.data).to.include({ id: first.data?.id, group: 'vip' });
    expect((await come({ sub: 'grace' })).data?.group, 'a claim that fits nothing changes nothing').to.equal('vip');
  });

  it('believes no address that is not verified there, and no name of the protocol itself', async () => {
    const { data } = await come({ sub: '{"$gt":""}', name: { $gt: '' }, email: 'x@works.example' });
    expect(data).to.include({ email: '', display_name: 'Works User', group: 'default' });
  });

  it('binds, and gives up what was bound', async () => {
    const user = await tollgate.newUser();
    expect(await come({ sub: 'bound' }, user)).to.include({ success: true, message: 'bind' });
    expect((await come({ sub: 'bound' }, await tollgate.newUser())).message).to.equal('This Works account is already bound');
    expect((await come({ sub: 'bound' })).data?.id).to.equal(user.id);
    await user.ok('DELETE', '/api/oauth/oidc');
    expect((await come({ sub: 'bound' })).data?.id).not.to.equal(user.id);
  });

  it('lets nobody in whom the provider did not vouch for, and says it in words', async () => {
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const now = Math.floor(Date.now() / 1000);
    const lies: Record<string, Lies> = {
      'another issuer in its description': { issuer: 'https://other.example/realm' },
      'another issuer in the token': { claims: { iss: 'https://other.example/realm' } },
      'another key': { key: stranger },
      'a shared secret for a key': { algorithm: 'HS256' },
      'no signature': { algorithm: 'none' },
      'another nonce': { claims: { nonce: 'of another sign-in' } },
      'no nonce': { claims: { nonce: undefined } },
      'another audience': { claims: { aud: 'somebody else' } },
      'an old token': { claims: { exp: now - 3600, iat: now - 7200 } },
      'nobody in particular': { claims: { sub: '' } },
      'a way into our network': { tokenEndpoint: 'http://169.254.169.254/latest' },
    };
    const before = await User.countDocuments();
    for (const [what, lie] of Object.entries(lies)) {
      await forgetLimits(tollgate, 'critical');
      const reply = await comeThrough(lie);
      expect(reply.success, what).to.equal(false);
      expect(reply.code, what).to.be.oneOf(['provider_refused', 'provider_unreachable', 'egress_refused']);
      expect(JSON.stringify(reply), what).not.to.contain('canary');
    }
    expect(await User.countDocuments()).to.equal(before);
    await forgetLimits(tollgate, 'critical');
    await newRealm();
    expect((await come({ sub: 'honest again' })).success).to.equal(true);
  });

  it('takes a code with the verifier it was asked with, and a state that was begun for it', async () => {
    const [one, other] = [await begin(), await begin()];
    const query = provider.agree(one.url, { sub: 'x' });
    query.set('state', new URL(other.url).searchParams.get('state') ?? '');
    expect((await comeBack(query, other.headers)).code).to.equal('provider_refused');
    const plain = await tollgate.anonymous.send<string>('GET', '/api/oauth/state');
    const cookie = plain.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect((await comeBack(new URLSearchParams({ code: 'x', state: plain.data }), { cookie })).code).to.equal('oauth_state_invalid');
  });

  it('says when the provider is away or switched off, and comes back by itself', async () => {
    await setOptions(tollgate, { OIDCIssuer: 'http://127.0.0.1:9/realm' });
    expect((await tollgate.anonymous.send('GET', '/api/oauth/start?provider=oidc')).code).to.equal('provider_unreachable');
    await setOptions(tollgate, { OIDCIssuer: 'https://10.0.0.1' });
    expect((await tollgate.anonymous.send('GET', '/api/oauth/start?provider=oidc')).code).to.equal('egress_refused');
    await setOptions(tollgate, { OIDCIssuer: provider.issuer, OIDCEnabled: 'false' });
    expect((await tollgate.anonymous.send('GET', '/api/oauth/start?provider=oidc')).message).to.contain('Works');
    await setOptions(tollgate, { OIDCEnabled: 'true' });
    expect((await come({ sub: 'later' })).success).to.equal(true);
  });

  it('leaves its secrets in no log and no row', async () => {
    const rows = await Promise.all(((await User.db.db?.collections()) ?? []).map((each) => each.find({}).toArray()));
    for (const text of [logged, JSON.stringify(rows)]) expect(text).not.to.contain('canary');
  });
});
