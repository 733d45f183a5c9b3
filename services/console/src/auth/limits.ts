import { type LimiterName, limiters } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { networkOf } from '../http/known-hosts.ts';

export interface SignInLimits {
  /**
   * Counts an attempt; throws `too_many_requests` when there were too many. A known device counts for itself alone, so that nobody
   * else can lock it out.
   */
  attempt(attempt: Attempt): Promise<void>;
  /** The attempt was good: what it had counted is taken back. */
  succeeded(attempt: Attempt): Promise<void>;
}

export interface Attempt {
  /** What is guessed, and of whom; the same however somebody writes it, and no text that a visitor chose stands at its beginning. */
  account: string;
  address: string;
  /** The id of a device that this account was signed in with before. */
  device?: string | undefined;
}

/**
 * Over all consoles: 5 attempts a minute on one account from one address, 20 a minute from one address, and on one account from
 * wherever 100 an hour, so that many addresses do not guess faster either. Only failed ones count in the end.
 */
export function signInLimits(redis: Redis, { perPair = 5, perAddress = 20, perAccountHour = 100, perDevice = 10 } = {}): SignInLimits {
  const limiter = (name: string, points: number, duration = 60) =>
    new RateLimiterRedis({ storeClient: redis, keyPrefix: `limit:sign-in:${name}`, points, duration });
  const pairs = limiter('pair', perPair);
  const addresses = limiter('address', perAddress);
  const accounts = limiter('account', perAccountHour, 3600);
  const devices = limiter('device', perDevice);
  const keysOf = (attempt: Attempt) => {
    const network = networkOf(attempt.address);
    return { account: attempt.account, network, pair: `${network} ${attempt.account}` };
  };

  return {
    async attempt(attempt) {
      if (attempt.device !== undefined) return within(devices.consume(attempt.device));
      const { account, network, pair } = keysOf(attempt);
      await within(addresses.consume(network));
      await within(pairs.consume(pair));
      await within(accounts.consume(account));
    },
    async succeeded(attempt) {
      if (attempt.device !== undefined) return void (await devices.delete(attempt.device));
      const { account, network, pair } = keysOf(attempt);
      await Promise.all([pairs.delete(pair), addresses.reward(network, 1), accounts.reward(account, 1)]);
    },
  };
}

/** The limits that contracts of routes name, by network and over all consoles. */
export function routeLimits(redis: Redis): (name: LimiterName, address: string) => Promise<void> {
  const stores = Object.entries(limiters).map(([name, { points, seconds: duration }]) => {
    return [name, new RateLimiterRedis({ storeClient: redis, keyPrefix: `limit:${name}`, points, duration })] as const;
  });
  const limiterOf = new Map<string, RateLimiterRedis>(stores);
  return (name, address) => within((limiterOf.get(name) as RateLimiterRedis).consume(networkOf(address)));
}

/** Turns the limiter's refusal into ours; anything else it throws is a failure of Redis. */
export async function within(consumed: Promise<RateLimiterRes>): Promise<void> {
  try {
    await consumed;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw new AppError('too_many_requests', {}, { retryAfterSeconds: Math.max(1, Math.ceil(error.msBeforeNext / 1000)) });
  }
}
