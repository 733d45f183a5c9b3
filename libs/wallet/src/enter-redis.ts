import type { Redis } from 'ioredis';

/**
 * Connects for the first time. Throws what the server or the network said, under the name of the setting: ioredis itself says no more than
 * "Connection is closed." Words never hold the address, which may carry a password.
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
    throw new Error(`Redis does not answer at the address in REDIS_URL: ${message}`);
  } finally {
    redis.off('error', keep);
  }
}
