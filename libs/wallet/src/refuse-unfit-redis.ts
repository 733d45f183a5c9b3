import type { Redis } from 'ioredis';

/**
 * Throws when this Redis may throw keys away under memory pressure (a hold that is gone is a call that nobody charges), or when its
 * keys stand on several servers, which our scripts do not cross.
 */
export async function refuseUnfitRedis(redis: Redis): Promise<void> {
  const [memory, cluster] = await Promise.all([redis.info('memory'), redis.info('cluster')]);
  const policy = /maxmemory_policy:(\S+)/.exec(memory)?.[1];
  if (policy !== undefined && policy !== 'noeviction') {
    throw new Error(`Redis has maxmemory-policy ${policy} and may forget money; set it to noeviction`);
  }
  if (/cluster_enabled:1/.test(cluster)) {
    throw new Error('Redis runs as a cluster, which is not supported: name one server, or one that sentinels watch (REDIS_SENTINELS)');
  }
}
