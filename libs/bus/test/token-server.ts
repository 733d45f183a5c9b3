import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An OAuth server that issues signed tokens to one client, https://datatracker.ietf.org/doc/html/rfc6749#section-4.4, and serves the key
 * that verifies them (`keysUrl`).
 */
export interface TokenServer {
  url: string;
  keysUrl: string;
  issuer: string;
  /** The audience of its tokens. */
  audience: string;
  /** The requests received, as form bodies. */
  asked: string[];
  lifeS: number;
  /** The error to return instead of a token. */
  failure: { status: number; error: string } | undefined;
  /** Wrong claims to put into the tokens ... */
  claims: Record<string, unknown>;
  /** ... and the key that signs them, under the name of the served one. */
  key: KeyObject;
  stop(): Promise<void>;
}

export async function startTokenServer(client: { username: string; password: string }): Promise<TokenServer> {
  const wanted = `Basic ${Buffer.from(`${client.username}:${encodeURIComponent(client.password)}`).toString('base64')}`;
  const { privateKey, publicKey } = newKeys();
  const name = randomUUID();
  const shownKeys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: name, use: 'sig', alg: 'RS256' }] };
  const server = createServer(async (request, response) => {
    if (request.url === '/keys') return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shownKeys));
    const form = await new Response(request as unknown as ReadableStream).text();
    self.asked.push(form);
    const failure = self.failure ?? (request.headers.authorization === wanted ? undefined : { status: 401, error: 'invalid_client' });
    response.writeHead(failure?.status ?? 200, { 'content-type': 'application/json' });
    const nowS = Math.floor(Date.now() / 1_000);
    const identity = { sub: client.username, iss: self.issuer, aud: self.audience, jti: randomUUID() };
    const token = signed({ ...identity, iat: nowS, exp: nowS + 3_600, ...self.claims }, { key: self.key, name });
    response.end(
      JSON.stringify(failure ? { error: failure.error } : { access_token: token, expires_in: self.lifeS, token_type: 'Bearer' }),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: TokenServer = {
    url: `${address}/token`,
    keysUrl: `${address}/keys`,
    issuer: address,
    audience: 'kafka',
    asked: [],
    lifeS: 3_600,
    failure: undefined,
    claims: {},
    key: privateKey,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

export const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** https://datatracker.ietf.org/doc/html/rfc7515#section-3.1 */
function signed(claims: object, { key, name }: { key: KeyObject; name: string }): string {
  const text = `${encoded({ alg: 'RS256', kid: name, typ: 'JWT' })}.${encoded(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
