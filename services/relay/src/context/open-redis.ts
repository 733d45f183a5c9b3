import type { Logger, OnStop } from '@tollgate/runtime';
import { redisAccess } from '@tollgate/runtime';
import { Redis, type RedisOptions } from 'ioredis';
import type { RelayEnv } from '../config.ts';

const longestReconnectMs = 250;

/** A connection that fails a command soon instead of keeping it: a caller is waiting for the answer. */
export function openRedis(settings: RelayEnv, { logger, onStop }: { logger: Logger; onStop: OnStop }, options: RedisOptions = {}): Redis {
  const redis = new Redis(settings.REDIS_URL, {
    ...redisAccess(settings),
    lazyConnect: true,
    maxRetriesPerRequest: 1,
    socketTimeout: 5_000,
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(attempt * 50, longestReconnectMs),
    ...options,
  });
  redis.on('error', (error: Error) => logger.warn({ err: error }, 'Redis'));
  onStop('redis', () => redis.disconnect());
  return redis;
}

/** Fails what waits on a connection that has fallen silent, and opens another one. */
export function renewLine(redis: Redis): void {
  redis.once('end', () => {
    redis.connect().catch(() => undefined); // it goes on trying by itself
  });
  redis.disconnect();
  redis.stream.destroy();
}
