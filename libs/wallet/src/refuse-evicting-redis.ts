import type { Redis } from 'ioredis';

/** Throws when this Redis may throw keys away under memory pressure: a hold that is gone is a call that nobody charges. */
export async function refuseEvictingRedis(redis: Redis): Promise<void> {
  const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1];
  if (policy === undefined || policy === 'noeviction') return;
  throw new Error(`Redis has maxmemory-policy ${policy} and may forget money; set it to noeviction`);
}
