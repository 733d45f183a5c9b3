import type { OidcTest, UserView } from '@tollgate/contracts';
import { expect } from 'chai';
import { startConsole, type TestConsole } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { setOptions } from './support/options.ts';
import { type ProviderKind, type RealProvider, startRealProvider } from './support/real-oidc-provider.ts';

const client = { id: 'tollgate', secret: 'p+ss:w/rd=%41', redirectUri: 'https://site.example/oauth/oidc' };

/** As the products publish and authenticate by default, by their documentation of 2026. */
const kinds: Record<string, ProviderKind & { entered?(issuer: string): string }> = {
  Authelia: { path: '', method: 'client_secret_basic', onlyUserInfo: true },
  'Authentik, entered without its last slash': {
    path: '/application/o/tollgate/',
    method: 'client_secret_post',
    onlyUserInfo: false,
    entered: (issuer) => issuer.slice(0, -1),
  },
  Zitadel: { path: '', method: 'client_secret_post', onlyUserInfo: true },
  'Keycloak, entered with one slash more': {
    path: '/realms/tollgate',
    method: 'client_secret_basic',
    onlyUserInfo: false,
    entered: (issuer) => `${issuer}/`,
  },
};

describe('Sign-in with real OpenID providers', () => {
  let tollgate: TestConsole;
  let provider: RealProvider | undefined;

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' });
    await setOptions(tollgate, {
      ServerAddress: 'https://site.example',
      OIDCClientId: client.id,
      OIDCClientSecret: client.secret,
      OIDCGroupClaim: 'groups',
      OIDCGroupMap: '{"staff":"vip"}',
    });
  });
  beforeEach(() => forgetLimits(tollgate, 'critical'));
  afterEach(() => provider?.close());
  after(() => tollgate.close());

  const test = () => tollgate.root.send<OidcTest>('POST', '/api/option/test_oidc');

  for (const [name, { entered = String, ...kind }] of Object.entries(kinds))
    it(`works with one that is set up as ${name}, claims and group included`, async () => {
      provider = await startRealProvider(kind, client);
      await setOptions(tollgate, { OIDCIssuer: entered(provider.issuer), OIDCClientSecret: client.secret, OIDCEnabled: 'true' });
      expect((await test()).data).to.deep.equal({
        issuer: provider.issuer,
        client_authentication: kind.method,
        userinfo: true,
        unsupported_scopes: [],
        redirect_uri: client.redirectUri,
      });
      const start = await tollgate.anonymous.send<{ url: string }>('GET', '/api/oauth/start?provider=oidc');
      const cookie = start.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const query = await provider.agree(start.data.url, 'grace');
      const { data } = await tollgate.anonymous.send<UserView>('GET', `/api/oauth/oidc?${query}`, undefined, { cookie });
      expect(data).to.include({ display_name: 'Name of grace', group: 'vip', oidc_id: `${provider.issuer} grace` });
    });

  it('tells root why it does not work: a wrong secret, client, issuer or scope', async () => {
    provider = await startRealProvider({ path: '/realms/tollgate', method: 'client_secret_post', onlyUserInfo: true }, client);
    const { issuer } = provider;
    await setOptions(tollgate, { OIDCIssuer: issuer, OIDCClientSecret: 'wrong', OIDCScopes: 'openid email roles' });
    expect((await test()).message).to.match(/client authentication: the provider answered invalid_client with status 401/);
    await setOptions(tollgate, { OIDCClientSecret: client.secret });
    expect((await test()).data.unsupported_scopes).to.deep.equal(['roles']);
    await setOptions(tollgate, { OIDCIssuer: 'https://10.0.0.1', OIDCScopes: 'openid profile email' });
    expect((await test()).code).to.equal('egress_refused');
    await setOptions(tollgate, { OIDCIssuer: new URL(issuer).origin });
    expect((await test()).message)
      .to.contain('discovery: ')
      .and.to.contain('404');
    await provider.close();
    await setOptions(tollgate, { OIDCIssuer: issuer });
    expect((await test()).message).to.match(/discovery: .*(ECONNREFUSED|unreachable)/);
  });
});
