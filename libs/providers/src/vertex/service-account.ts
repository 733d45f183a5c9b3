import { createPrivateKey } from 'node:crypto';
import { channelTypeInfo } from '@tollgate/contracts';
import { keyParts, wrongKey } from '../key-parts.ts';
import { readToken } from '../oauth-answer.ts';
import type { Target, TokenExchange } from '../provider.ts';

export interface ServiceAccount {
  projectId: string;
  email: string;
  privateKey: string;
  keyId: string | undefined;
  tokenUrl: string;
}

const googlesTokenUrl = 'https://oauth2.googleapis.com/token';
const lifetimeSeconds = 3600;

/** The service account whose JSON a channel's key is. Throws: UpstreamError when it is none. */
export function serviceAccountOf(type: number, key: string): ServiceAccount {
  const [projectId = '', privateKey = '', email = ''] = keyParts(type, key);
  const { private_key_id: keyId, token_uri: tokenUrl = googlesTokenUrl } = JSON.parse(key) as Record<string, unknown>;
  return {
    projectId,
    email,
    privateKey: privateKey.replaceAll('\\n', '\n'),
    keyId: typeof keyId === 'string' ? keyId : undefined,
    tokenUrl: String(tokenUrl),
  };
}

/**
 * A signed word of the account, exchanged for a token. It goes to Google, or to the address that the channel itself names.
 * Source: https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export function googleToken(type: number): TokenExchange {
  return {
    async ask(target, atMs) {
      const account = serviceAccountOf(type, target.key);
      return {
        url: trustedUrl(account.tokenUrl, target, type),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: await assertion(account, atMs, type),
        }).toString(),
      };
    },
    read: readToken,
    isSpent: (error) => error.status === 401,
  };
}

async function assertion({ email, privateKey, keyId, tokenUrl }: ServiceAccount, atMs: number, type: number): Promise<string> {
  const { SignJWT } = await import('jose'); // only who calls Vertex has to load it
  const issuedAt = Math.floor(atMs / 1000);
  const claims = { scope: 'https://www.googleapis.com/auth/cloud-platform' };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(email)
    .setAudience(tokenUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(privateKeyIn(privateKey, type));
}

function privateKeyIn(pem: string, type: number): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch {
    throw wrongKey(`${channelTypeInfo(type)?.keyHint ?? ''}: its private_key is none`);
  }
}

function trustedUrl(tokenUrl: string, { baseUrl }: Target, type: number): string {
  const url = URL.parse(tokenUrl);
  const isGoogles = url?.protocol === 'https:' && url.hostname.endsWith('.googleapis.com');
  if (url !== null && (isGoogles || url.origin === URL.parse(baseUrl)?.origin)) return tokenUrl;
  throw wrongKey(`${channelTypeInfo(type)?.keyHint ?? ''}: its token_uri is not Google's`);
}
