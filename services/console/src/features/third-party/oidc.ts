import { createHash } from 'node:crypto';
import { mailAddress, type OidcTest, type OptionValues } from '@tollgate/contracts';
import { AppError, type Egress, type Logger } from '@tollgate/runtime';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretJwt,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  genericGrantRequest,
  None,
  type ServerMetadata,
} from 'openid-client';
import { z } from 'zod';
import { errorCodeOf, reasonOf } from './oidc-failure.ts';
import { type Identity, refusePlain } from './provider.ts';

const configurationLifeMs = 600_000;
const text = z.string().catch('');

/** Sign-in at a provider that speaks OpenID Connect: discovery, PKCE, nonce; issuer, audience, key and times of its token are checked. */
export interface Oidc {
  /** Where people agree to be known here. */
  page(beginning: { state: string; verifier: string; nonce: string; redirectUri: string }): Promise<string>;
  /** Who came back; `address` is the page of ours with all that the provider put into its query. */
  identity(address: URL, begun: { state: string; verifier: string; nonce: string }): Promise<Identity>;
  /** What the provider publishes, and whether it accepts our client ID and secret. It signs no one in. Throws `oidc_test_failed` with the reason. */
  test(redirectUri: string): Promise<OidcTest>;
}

type Claims = Record<string, unknown> & { sub: string };
type ClientMethod = OidcTest['client_authentication'];

export function createOidc(egress: Egress, options: () => OptionValues, log: Logger): Oidc {
  let known: { key: string; at: number; configuration: Promise<Configuration> } | undefined;

  /** The provider's own description, looked at anew every ten minutes, and when root has changed something. */
  function configured(): Promise<Configuration> {
    const { OIDCIssuer, OIDCClientId, OIDCClientSecret } = options();
    const key = createHash('sha256')
      .update(JSON.stringify([OIDCIssuer, OIDCClientId, OIDCClientSecret]))
      .digest('base64url');
    if (known?.key === key && Date.now() - known.at < configurationLifeMs) return known.configuration;
    const configuration = discover(egress, OIDCIssuer, OIDCClientId, OIDCClientSecret);
    known = { key, at: Date.now(), configuration };
    configuration.catch(() => {
      if (known?.configuration === configuration) known = undefined; // it may be there again for the next one
    });
    return configuration;
  }

  function refuseDisabled(): string {
    const { OIDCEnabled, OIDCName } = options();
    if (!OIDCEnabled) throw new AppError('provider_disabled', { provider: OIDCName });
    return OIDCName;
  }

  return {
    async page({ state, verifier, nonce, redirectUri }) {
      refuseDisabled();
      const configuration = await configured().catch((cause) => fail('provider_unreachable', 'discovery', cause));
      const { OIDCScopes } = options();
      const challenge = { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
      return buildAuthorizationUrl(configuration, { redirect_uri: redirectUri, scope: OIDCScopes, state, nonce, ...challenge }).href;
    },
    async identity(address, { state, verifier, nonce }) {
      const provider = refuseDisabled();
      const configuration = await configured().catch((cause) => fail('provider_unreachable', 'discovery', cause));
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await authorizationCodeGrant(configuration, address, checks).catch((cause) =>
        fail('provider_refused', 'token', cause),
      );
      const claims = tokens.claims();
      if (!claims) throw new AppError('provider_refused', { provider });
      const whole = await withUserInfo(configuration, tokens.access_token, claims).catch((cause) =>
        fail('provider_refused', 'userinfo', cause),
      );
      return identityOf(whole, claims.iss, options());
    },
    async test(redirectUri) {
      const { OIDCIssuer, OIDCClientId, OIDCClientSecret, OIDCScopes } = options();
      if (OIDCIssuer === '' || OIDCClientId === '')
        throw new AppError('oidc_test_failed', { reason: 'set the OIDC issuer and the client ID, and save them first' });
      const failed = (step: string) => (cause: unknown) => {
        throw (
          refusalIn(cause) ?? new AppError('oidc_test_failed', { reason: `${step}: ${reasonOf(cause, [OIDCClientSecret])}` }, { cause })
        );
      };
      const configuration = await discover(egress, OIDCIssuer, OIDCClientId, OIDCClientSecret).catch(failed('discovery'));
      await refuseWrongSecret(configuration, redirectUri).catch(failed('client authentication'));
      const metadata = configuration.serverMetadata();
      return {
        issuer: metadata.issuer,
        client_authentication: methodOf(metadata, OIDCClientSecret),
        userinfo: metadata.userinfo_endpoint !== undefined,
        unsupported_scopes: unsupported(OIDCScopes.split(/\s+/), metadata.scopes_supported),
        redirect_uri: redirectUri,
      };
    },
  };

  /** Claims that the ID token lacks come from the UserInfo endpoint: https://openid.net/specs/openid-connect-core-1_0.html#UserInfo */
  async function withUserInfo(configuration: Configuration, accessToken: string, claims: Claims): Promise<Claims> {
    const { OIDCGroupClaim } = options();
    const wanted = ['name', 'email', 'email_verified', ...(OIDCGroupClaim === '' ? [] : [OIDCGroupClaim])];
    const isWhole = wanted.every((name) => claims[name] !== undefined);
    if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined || claims.sub === '') return claims;
    return { ...(await fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  /** Throws the error that the user sees; the log has the cause for root, without secrets, codes or tokens. */
  function fail(code: 'provider_unreachable' | 'provider_refused', step: string, cause: unknown): never {
    const { OIDCName, OIDCIssuer, OIDCClientSecret } = options();
    log.warn({ issuer: OIDCIssuer, step, reason: reasonOf(cause, [OIDCClientSecret]) }, 'sign-in with OpenID Connect failed');
    throw refusalIn(cause) ?? new AppError(code, { provider: OIDCName }, { cause });
  }
}

/** Those that the provider does not list; none where it lists nothing. */
function unsupported(scopes: readonly string[], listed: readonly string[] | undefined): string[] {
  return listed === undefined ? [] : scopes.filter((scope) => scope !== '' && !listed.includes(scope));
}

/**
 * Redeems a code that was never issued: a provider that accepts the client answers `invalid_grant`
 * (https://www.rfc-editor.org/rfc/rfc6749#section-5.2). Throws what it answers instead.
 */
async function refuseWrongSecret(configuration: Configuration, redirectUri: string): Promise<void> {
  const grant = { code: 'tollgate-connection-test', redirect_uri: redirectUri, code_verifier: 'x'.repeat(43) };
  await genericGrantRequest(configuration, 'authorization_code', grant).catch((error) => {
    if (errorCodeOf(error) !== 'invalid_grant') throw error;
  });
}

/** Reads what the issuer publishes. An issuer that differs from what was entered only by its last slash counts as entered. */
async function discover(egress: Egress, issuer: string, clientId: string, secret: string): Promise<Configuration> {
  refusePlain(egress, issuer);
  const read = (address: string) =>
    discovery(new URL(address), clientId, secret, authentication(secret), {
      [customFetch]: fetchThrough(egress),
      execute: [enableNonRepudiationChecks, ...(address.startsWith('http://') ? [allowInsecureRequests] : [])],
      timeout: 10,
    });
  return read(issuer).catch((error) => {
    const published = publishedIssuer(error);
    if (published === undefined || withoutSlash(published) !== withoutSlash(issuer)) throw error;
    return read(published);
  });
}

const withoutSlash = (address: string): string => address.replace(/\/$/, '');

/** The issuer of a description that was refused because it names another issuer. */
function publishedIssuer(error: unknown): string | undefined {
  if (!(error instanceof ClientError) || error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') return undefined;
  return z.object({ body: z.object({ issuer: z.string() }) }).safeParse(error.cause).data?.body.issuer;
}

const methods = {
  none: None,
  client_secret_post: ClientSecretPost,
  client_secret_basic: ClientSecretBasic,
  client_secret_jwt: ClientSecretJwt,
} as const satisfies Record<ClientMethod, unknown>;

/** Authenticates by what the provider lists: post before basic, where special characters in secrets are often decoded wrongly. */
function authentication(secret: string): ClientAuth {
  return (server, ...rest) => methods[methodOf(server, secret)](secret)(server, ...rest);
}

/** A provider that lists nothing takes basic: https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata */
function methodOf(
  { token_endpoint_auth_methods_supported: listed = ['client_secret_basic'] }: ServerMetadata,
  secret: string,
): ClientMethod {
  if (secret === '') return 'none';
  return (
    (['client_secret_post', 'client_secret_basic', 'client_secret_jwt'] as const).find((name) => listed.includes(name)) ??
    'client_secret_basic'
  );
}

/** The one way out, as the library wants it. Redirects are not followed. */
function fetchThrough(egress: Egress) {
  return async (address: string, { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown }) => {
    refusePlain(egress, address);
    const answer = await egress.exchange(address, {
      method: method as 'GET' | 'POST',
      headers,
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeoutMs: 10_000,
      maxBytes: 1 << 20,
    });
    const { 'content-type': type = '' } = answer.headers;
    const isEmpty = answer.status === 204 || answer.status === 304;
    return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: { 'content-type': type } });
  };
}

function identityOf(claims: Claims, iss: string, { OIDCName, OIDCGroupClaim, OIDCGroupMap }: OptionValues): Identity {
  const { sub } = claims;
  // The protocol's own bound; and an empty name would be everybody's.
  if (sub === '' || sub.length > 255) throw new AppError('provider_refused', { provider: OIDCName });
  const name = [claims.name, claims.preferred_username].map((each) => text.parse(each)).find((each) => each !== '') ?? '';
  const group = OIDCGroupClaim === '' ? undefined : groupOf(claims[OIDCGroupClaim], OIDCGroupMap);
  // Some providers send the flag as text.
  const isVerified = claims.email_verified === true || claims.email_verified === 'true';
  return {
    provider: 'oidc',
    label: OIDCName,
    // A name is one person's at its issuer only.
    id: `${iss} ${sub}`,
    name,
    email: async () => (isVerified ? (mailAddress.safeParse(claims.email).data ?? '') : ''),
    ...(group !== undefined && { group }),
  };
}

/** The group of ours for the first entry of the map that the claim, one text or several, has. */
function groupOf(claim: unknown, map: Record<string, string>): string | undefined {
  const values = z.union([z.string().transform((one) => [one]), z.array(z.unknown())]).safeParse(claim).data ?? [];
  return Object.entries(map).find(([value]) => values.includes(value))?.[1];
}

/** A refusal of the egress policy, which root can fix: it has a message of its own. */
function refusalIn(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error.code === 'egress_refused' || error.code === 'address_needs_https' ? error : undefined;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}
