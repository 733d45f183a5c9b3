import { AppError } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

export interface SignInLimits {
  /** Counts an attempt; throws `too_many_requests` when there were too many for this account or from this address. */
  attempt(account: string, address: string): Promise<void>;
  /** The attempt was good: what it had counted is taken back. */
  succeeded(account: string, address: string): Promise<void>;
}

/** 5 attempts a minute on one account, 20 from one address, over all consoles. Only failed ones count in the end. */
export function signInLimits(redis: Redis, { perAccount = 5, perAddress = 20 } = {}): SignInLimits {
  const accounts = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'limit:sign-in:account', points: perAccount, duration: 60 });
  const addresses = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'limit:sign-in:address', points: perAddress, duration: 60 });
  return {
    async attempt(account, address) {
      await within(addresses.consume(address));
      await within(accounts.consume(account.toLowerCase()));
    },
    async succeeded(account, address) {
      await Promise.all([accounts.delete(account.toLowerCase()), addresses.reward(address, 1)]);
    },
  };
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
