import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import jwt from 'jsonwebtoken';

export const oidcClient = { id: 'tollgate', secret: 'canary-oidc-secret' };

/** What is said wrong, in one place each. */
export interface Lies {
  issuer?: string;
  claims?: Record<string, unknown>;
  key?: KeyObject;
  algorithm?: 'HS256' | 'none';
  tokenEndpoint?: string;
}

export interface OidcProvider {
  issuer: string;
  lies: Lies;
  /** Agrees as somebody at the page that an address leads to; what it leads back with. */
  agree(pageUrl: string, claims: Record<string, unknown>): URLSearchParams;
  close(): void;
}

/** An OpenID Connect provider (https://openid.net/specs/openid-connect-core-1_0.html) that checks PKCE, and lies when it is told to. */
export async function startOidcProvider(): Promise<OidcProvider> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { page: URL; claims: Record<string, unknown> }>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const say = (value: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const path = request.url ?? '';
    if (path === `${new URL(provider.issuer).pathname}/.well-known/openid-configuration`) return say(metadata());
    if (path === '/jwks') return say({ keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] });
    if (path !== '/token') return say({}, 404);
    const form = new URLSearchParams(body);
    const begun = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const verified = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight = begun?.page.searchParams.get('code_challenge') === verified && form.get('client_secret') === oidcClient.secret;
    if (!begun || !isRight || form.get('redirect_uri') !== begun.page.searchParams.get('redirect_uri'))
      return say({ error: 'invalid_grant', error_description: `you sent ${form.get('client_secret')}` }, 400);
    const now = Math.floor(Date.now() / 1000);
    const nonce = begun.page.searchParams.get('nonce');
    const claims = { iss: provider.issuer, aud: oidcClient.id, iat: now, exp: now + 60, nonce, ...begun.claims, ...provider.lies.claims };
    const { algorithm = 'RS256', key = own.privateKey } = provider.lies;
    const secret = { RS256: key, HS256: oidcClient.secret, none: null }[algorithm];
    const id_token = jwt.sign(claims, secret as KeyObject, { algorithm, keyid: 'one' });
    say({ access_token: 'canary-access-token', token_type: 'Bearer', expires_in: 60, id_token });
  });
  const provider: OidcProvider = {
    issuer: '',
    lies: {},
    agree(pageUrl, claims) {
      const page = new URL(pageUrl);
      const code = `code-${codes.size}-${Math.random()}`;
      codes.set(code, { page, claims });
      return new URLSearchParams({ code, state: page.searchParams.get('state') ?? '' });
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };

  function metadata() {
    const origin = new URL(provider.issuer).origin;
    return {
      issuer: provider.lies.issuer ?? provider.issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: provider.lies.tokenEndpoint ?? `${origin}/token`,
      jwks_uri: `${origin}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    };
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
  return provider;
}
