import { DatastoreAway } from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** Errors that waiting does not fix: the server rejects us, or we do not trust its certificate. */
const refusals = /^(?:ERR|NOAUTH|NOPERM|WRONGPASS|invalid)|certificate|password/i;

/**
 * Connects for the first time. Throws DatastoreAway when Redis does not answer, and an Error when it refuses the connection. Both name the
 * setting and the reason, because ioredis only reports "Connection is closed." No message contains the address, which may hold a password.
 */
export async function connectRedis(redis: Redis): Promise<void> {
  let lastError: Error | undefined;
  const keep = (error: Error) => {
    lastError = error;
  };
  redis.on('error', keep);
  try {
    await redis.connect();
  } catch (error) {
    const { message } = lastError ?? (error as Error);
    const reason = `Redis does not answer at the address in REDIS_URL: ${message}`;
    throw refusals.test(message) ? new Error(reason) : new DatastoreAway('Redis', reason);
  } finally {
    redis.off('error', keep);
  }
}
