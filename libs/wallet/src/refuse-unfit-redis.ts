import type { Redis } from 'ioredis';

/**
 * Throws when this Redis may evict keys (a call whose hold is evicted is never charged), or when it is a cluster: the scripts do not work
 * across nodes.
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
