import { DatastoreAway } from '@tollgate/contracts';
import type { Redis } from 'ioredis';

/** What waiting does not mend: the server answered, and does not want us, or we do not trust it. */
const refusals = /^(?:ERR|NOAUTH|NOPERM|WRONGPASS|invalid)|certificate|password/i;

/**
 * Connects for the first time. Throws DatastoreAway when Redis does not answer, an Error when it refuses us; both say what the server or the
 * network said, under the name of the setting: ioredis itself says no more than "Connection is closed." No message holds the address, which
 * may carry a password.
 */
export async function enterRedis(redis: Redis): Promise<void> {
  let said: Error | undefined;
  const keep = (error: Error) => {
    said = error;
  };
  redis.on('error', keep);
  try {
    await redis.connect();
  } catch (error) {
    const { message } = said ?? (error as Error);
    const reason = `Redis does not answer at the address in REDIS_URL: ${message}`;
    throw refusals.test(message) ? new Error(reason) : new DatastoreAway('Redis', reason);
  } finally {
    redis.off('error', keep);
  }
}
