import { Redis } from 'ioredis';

/** All that stands in a Redis, as text: keys, jobs, sessions, and the events of a bus on its streams. */
export async function redisText(url: string): Promise<string> {
  const redis = new Redis(url);
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, 0, -1),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  try {
    const kept = (await redis.keys('*')).map(async (key) => [key, await readers[await redis.type(key)]?.(key)]);
    return JSON.stringify(await Promise.all(kept));
  } finally {
    redis.disconnect();
  }
}
