import { createHash } from 'node:crypto';
import { seal, unseal } from '@tollgate/db';
import { type Provider, type Target, type TokenExchange, UpstreamError } from '@tollgate/providers';
import { AppError, type Egress, type Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { upstreamFailure } from '../context/errors.ts';

/** The tokens that channels' keys were exchanged for. All relays share them in Redis, sealed. */
export interface AccessTokens {
  /** A token that is good now. Throws: UpstreamError when the key is not taken; AppError `egress_refused`. */
  of(exchange: TokenExchange, target: Target, proxy?: string): Promise<string>;
  /** Forgets one that was refused, so that the next call asks for another. */
  drop(target: Target): Promise<void>;
}

interface Asked {
  exchange: TokenExchange;
  target: Target;
  proxy: string | undefined;
}

interface KnownToken {
  token: string;
  /** From here on another one is asked for, while this one serves. In ms since 1970. */
  freshUntilMs: number;
  untilMs: number;
}

const mostTokens = 5_000;
const longestAskMs = 10_000;
/** Of the end of a token's life a part is left, so that no call leaves with one that ends on its way. */
const restShare = 0.1;
const longestRestMs = 3_600_000;
/** So long a token still serves that is about to end. */
const leastRestMs = 30_000;

export function accessTokens(
  redis: Pick<Redis, 'get' | 'set' | 'del'>,
  { egress, now, logger }: { egress: Pick<Egress, 'exchange'>; now(): number; logger: Pick<Logger, 'warn'> },
): AccessTokens {
  const known = new LRUCache<string, KnownToken>({ max: mostTokens });
  const asked = new Map<string, Promise<KnownToken>>();

  async function shared(id: string): Promise<KnownToken | undefined> {
    try {
      const sealed = await redis.get(keyOf(id));
      return sealed === null ? undefined : (JSON.parse(unseal(sealed, placeOf(id))) as KnownToken);
    } catch {
      return undefined; // Redis is away, or the token was sealed under another master key: a new one will do
    }
  }

  async function askAnew(id: string, { exchange, target, proxy }: Asked): Promise<KnownToken> {
    const { url, headers, body } = await exchange.ask(target, now());
    const answer = await egress.exchange(url, { method: 'POST', headers, body, timeoutMs: longestAskMs, proxy }).catch((error: unknown) => {
      throw error instanceof AppError || error instanceof UpstreamError ? error : upstreamFailure('server', 'upstream_unreachable');
    });
    const { token, lifetimeMs } = exchange.read({ ...answer, body: answer.body.toString('utf8') }, target.key);
    const untilMs = now() + lifetimeMs;
    const fresh = { token, untilMs, freshUntilMs: untilMs - Math.min(longestRestMs, lifetimeMs * restShare) };
    known.set(id, fresh);
    await redis.set(keyOf(id), seal(JSON.stringify(fresh), placeOf(id)), 'PX', lifetimeMs).catch((error: unknown) => {
      logger.warn({ err: error }, 'a token could not be shared');
    });
    return fresh;
  }

  /** One question at a time for each key. */
  function askOnce(id: string, question: Asked): Promise<KnownToken> {
    const running = asked.get(id);
    if (running !== undefined) return running;
    const asking = askAnew(id, question).finally(() => asked.delete(id));
    asked.set(id, asking);
    return asking;
  }

  return {
    async of(exchange, target, proxy) {
      const question = { exchange, target, proxy };
      const id = idOf(target);
      let token = known.get(id);
      if (token === undefined || token.freshUntilMs <= now()) token = (await shared(id)) ?? token;
      if (token === undefined || token.untilMs - leastRestMs <= now()) return (await askOnce(id, question)).token;
      known.set(id, token);
      if (token.freshUntilMs <= now()) {
        askOnce(id, question).catch((error: unknown) => logger.warn({ err: error }, 'a token could not be renewed'));
      }
      return token.token;
    },
    async drop(target) {
      const id = idOf(target);
      known.delete(id);
      await redis.del(keyOf(id)).catch(() => undefined); // it ends by itself
    },
  };
}

/** By the key and where it is shown, never by the channel: an edited key is another one. */
function idOf({ key, baseUrl }: Target): string {
  return createHash('sha256').update(`${baseUrl}\n${key}`).digest('hex');
}

function keyOf(id: string): string {
  return `access-token:${id}`;
}

function placeOf(id: string): string {
  return `access token ${id}`;
}

/** Whether a call failed for its token alone, and is worth another one. */
export function isTokenSpent({ token }: Provider, error: unknown): boolean {
  return token !== undefined && error instanceof UpstreamError && token.isSpent(error);
}
