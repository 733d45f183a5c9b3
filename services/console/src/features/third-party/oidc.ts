import { createHash } from 'node:crypto';
import { mailAddress, type OptionValues } from '@tollgate/contracts';
import { AppError, type Egress } from '@tollgate/runtime';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type IDToken,
} from 'openid-client';
import { z } from 'zod';
import { type Identity, refusePlain } from './provider.ts';

const configurationLifeMs = 600_000;
const text = z.string().catch('');

/** Sign-in at a provider that speaks OpenID Connect: discovery, PKCE, nonce; issuer, audience, key and times of its token are checked. */
export interface Oidc {
  /** Where people agree to be known here. */
  page(beginning: { state: string; verifier: string; nonce: string; redirectUri: string }): Promise<string>;
  /** Who came back; `address` is the page of ours with all that the provider put into its query. */
  identity(address: URL, begun: { state: string; verifier: string; nonce: string }): Promise<Identity>;
}

export function createOidc(egress: Egress, options: () => OptionValues): Oidc {
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
      const provider = refuseDisabled();
      const configuration = await configured().catch((cause) => asUnreachable(cause, provider));
      const { OIDCScopes } = options();
      const challenge = { code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
      return buildAuthorizationUrl(configuration, { redirect_uri: redirectUri, scope: OIDCScopes, state, nonce, ...challenge }).href;
    },
    async identity(address, { state, verifier, nonce }) {
      const provider = refuseDisabled();
      const configuration = await configured().catch((cause) => asUnreachable(cause, provider));
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const tokens = await authorizationCodeGrant(configuration, address, checks).catch((cause) => asRefused(cause, provider));
      const claims = tokens.claims();
      if (!claims) throw new AppError('provider_refused', { provider });
      return identityOf(claims, options());
    },
  };
}

async function discover(egress: Egress, issuer: string, clientId: string, secret: string): Promise<Configuration> {
  refusePlain(egress, issuer);
  const isPlain = issuer.startsWith('http://');
  const configuration = await discovery(new URL(issuer), clientId, secret, undefined, {
    [customFetch]: fetchThrough(egress),
    execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    timeout: 10,
  });
  return configuration;
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

function identityOf(claims: IDToken, { OIDCName, OIDCGroupClaim, OIDCGroupMap }: OptionValues): Identity {
  const { sub, iss } = claims;
  // The protocol's own bound; and an empty name would be everybody's.
  if (sub === '' || sub.length > 255) throw new AppError('provider_refused', { provider: OIDCName });
  const name = [claims.name, claims.preferred_username].map((each) => text.parse(each)).find((each) => each !== '') ?? '';
  const group = OIDCGroupClaim === '' ? undefined : groupOf(claims[OIDCGroupClaim], OIDCGroupMap);
  return {
    provider: 'oidc',
    label: OIDCName,
    // A name is one person's at its issuer only.
    id: `${iss} ${sub}`,
    name,
    email: async () => (claims.email_verified === true ? (mailAddress.safeParse(claims.email).data ?? '') : ''),
    ...(group !== undefined && { group }),
  };
}

/** The group of ours for the first entry of the map that the claim, one text or several, has. */
function groupOf(claim: unknown, map: Record<string, string>): string | undefined {
  const values = z.union([z.string().transform((one) => [one]), z.array(z.unknown())]).safeParse(claim).data ?? [];
  return Object.entries(map).find(([value]) => values.includes(value))?.[1];
}

/** What the way out refused is for root to mend, and says so; all else is told without the provider's words. */
function asUnreachable(cause: unknown, provider: string): never {
  throw refusalIn(cause) ?? new AppError('provider_unreachable', { provider }, { cause });
}

function asRefused(cause: unknown, provider: string): never {
  throw refusalIn(cause) ?? new AppError('provider_refused', { provider }, { cause });
}

function refusalIn(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error.code === 'egress_refused' || error.code === 'address_needs_https' ? error : undefined;
  return error instanceof Error && error.cause !== undefined ? refusalIn(error.cause) : undefined;
}
