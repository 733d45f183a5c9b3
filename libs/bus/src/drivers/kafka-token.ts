import { LoginRefused } from './kafka-login.ts';

/** Who asks for tokens where, https://datatracker.ietf.org/doc/html/rfc6749#section-4.4 */
export interface TokenLogin {
  mechanism: 'oauthbearer';
  /** The client's id and its secret. */
  username: string;
  password: string;
  tokenUrl: string;
  /** Empty: what the server gives to who names none. */
  scope: string;
}

const timeoutMs = 10_000;
/** A server that does not say how long its token lives is asked again after this long. */
const unknownLifeS = 60;
/** The part of a token's life in which it is used without another question. */
const freshShare = 0.8;

interface Held {
  value: string;
  freshUntilMs: number;
  endsAtMs: number;
}

/**
 * Tokens for connections to Kafka: one serves them all until shortly before its end; a server that is away then is asked again by the next
 * connection, while the token lives. Rejects with LoginRefused where the server does not take the client.
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
    throw new Error(`${host} (KAFKA_OAUTH_TOKEN_URL) gives no token: ${reasonOf(cause)}`, { cause });
  });
  const said: unknown = await answer.json().catch(() => undefined);
  const { access_token: value, expires_in: lifeS = unknownLifeS, error } = (said ?? {}) as Record<string, unknown>;
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
    const reason = typeof error === 'string' ? `${answer.status} ${error.slice(0, 100)}` : answer.status;
    throw new LoginRefused(`${host} (KAFKA_OAUTH_TOKEN_URL) refuses ${username} (KAFKA_USERNAME, KAFKA_PASSWORD): ${reason}`);
  }
  if (!answer.ok || typeof value !== 'string' || value === '')
    throw new Error(`${host} (KAFKA_OAUTH_TOKEN_URL) gives no token: it answers ${answer.status}`);
  const lifeMs = Math.max(0, Number(lifeS) || 0) * 1_000;
  return { value, freshUntilMs: askedAtMs + lifeMs * freshShare, endsAtMs: askedAtMs + lifeMs };
}

/** What `fetch` knows of a failure stands in its cause. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
