import { LoginRefused } from './kafka-login.ts';

/** OAuth client credentials, https://datatracker.ietf.org/doc/html/rfc6749#section-4.4 */
export interface TokenLogin {
  mechanism: 'oauthbearer';
  /** The client id and its secret. */
  username: string;
  password: string;
  tokenUrl: string;
  /** Empty: the server's default scope. */
  scope: string;
}

const timeoutMs = 10_000;
/** Lifetime of a token when the server does not state one. */
const unknownLifeS = 60;
/** The share of a token's lifetime after which a new one is requested. */
const freshShare = 0.8;

interface Held {
  value: string;
  freshUntilMs: number;
  endsAtMs: number;
}

/**
 * Provides tokens for connections to Kafka. All connections share one token until shortly before it expires. If the server is down then,
 * the old token is used while it is valid and the next connection tries again. Rejects with LoginRefused when the server rejects the
 * client.
 */
export function openTokens(login: TokenLogin): () => Promise<string> {
  let held: Held | undefined;
  let asked: Promise<Held> | undefined;

  async function renew(): Promise<Held> {
    asked ??= askForToken(login).finally(() => {
      asked = undefined;
    });
    held = await asked;
    return held;
  }

  return async () => {
    const now = performance.now();
    if (held !== undefined && now < held.freshUntilMs) return held.value;
    try {
      return (await renew()).value;
    } catch (error) {
      if (held === undefined || performance.now() >= held.endsAtMs) throw error;
      return held.value;
    }
  };
}

async function askForToken({ username, password, tokenUrl, scope }: TokenLogin): Promise<Held> {
  const askedAtMs = performance.now();
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== '' && { scope }) });
  const basic = Buffer.from(`${encodeURIComponent(username)}:${encodeURIComponent(password)}`).toString('base64');
  const { host } = new URL(tokenUrl);
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, accept: 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: Error) => {
    throw new Error(`${host} (KAFKA_OAUTH_TOKEN_URL) issued no token: ${reasonOf(cause)}`, { cause });
  });
  const reply: unknown = await answer.json().catch(() => undefined);
  const { access_token: value, expires_in: lifeS = unknownLifeS, error } = (reply ?? {}) as Record<string, unknown>;
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
    const reason = typeof error === 'string' ? `${answer.status} ${error.slice(0, 100)}` : answer.status;
    throw new LoginRefused(`${host} (KAFKA_OAUTH_TOKEN_URL) refuses ${username} (KAFKA_USERNAME, KAFKA_PASSWORD): ${reason}`);
  }
  if (!answer.ok || typeof value !== 'string' || value === '')
    throw new Error(`${host} (KAFKA_OAUTH_TOKEN_URL) issued no token: status ${answer.status}`);
  const lifeMs = Math.max(0, Number(lifeS) || 0) * 1_000;
  return { value, freshUntilMs: askedAtMs + lifeMs * freshShare, endsAtMs: askedAtMs + lifeMs };
}

/** `fetch` puts the reason of a failure into `cause`. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
