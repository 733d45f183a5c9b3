import { Redis } from 'ioredis';

/** Whoever came too often may come again. */
export async function forgetLimits({ redisUrl }: { redisUrl: string }, name: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`limit:${name}:*`);
  if (keys.length > 0) await redis.del(...keys);
  redis.disconnect();
}
