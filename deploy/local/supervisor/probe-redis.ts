import { Redis, type RedisOptions } from 'ioredis';
import { withoutPassword } from './probe-mongo.ts';
import { NoAnswer, Refusal } from './refusal.ts';

const probeKey = `tollgate:startup-probe:${process.pid}`;

/** A real round trip: a key is written by a script, read back and removed. */
export async function probeRedis(url: string): Promise<void> {
  await withRedis(url, roundTrip);
}

/** The same for a Redis that the user named by `setting`, and whether it would keep what is stored in it. Throws Refusal (NoAnswer). */
export async function checkGivenRedis(setting: string, url: string, access: RedisOptions): Promise<void> {
  const shown = `${setting} (${withoutPassword(url)})`;
  const [policy, isCluster] = await withRedis(
    url,
    async (redis) => {
      const isCluster = /cluster_enabled:1/.test(await redis.info('cluster'));
      if (!isCluster) await roundTrip(redis);
      return [/maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1], isCluster] as const;
    },
    access,
  ).catch((error: Error) => {
    const words = `${shown} does not work: ${explain(error)}`;
    throw isNetworkFault(error) ? new NoAnswer(words) : new Refusal(words);
  });
  if (isCluster)
    throw new Refusal(
      `${shown} runs as a cluster, which is not supported. Name one server, or one that sentinels watch (REDIS_SENTINELS).`,
    );
  if (policy && policy !== 'noeviction') {
    throw new Refusal(
      [
        `${shown} may evict keys (maxmemory-policy is ${policy}): balances and reservations would vanish. Set it with`,
        '  redis-cli -u "<the URL>" CONFIG SET maxmemory-policy noeviction',
        'and in its configuration file, so that it stays.',
      ].join('\n'),
    );
  }
}

async function roundTrip(redis: Redis): Promise<void> {
  const answer = await redis.eval(
    "redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000) return redis.call('GET', KEYS[1])",
    1,
    probeKey,
    'written',
  );
  await redis.del(probeKey);
  if (answer !== 'written') throw new Error('what was written could not be read back');
}

async function withRedis<Result>(url: string, use: (redis: Redis) => Promise<Result>, access: RedisOptions = {}): Promise<Result> {
  const redis = new Redis(url, { ...access, lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, connectTimeout: 5_000 });
  let lastError: Error | undefined;
  redis.on('error', (error: Error) => {
    lastError = error;
  });
  try {
    await redis.connect();
    return await use(redis);
  } catch (error) {
    throw lastError ?? error; // the connection's own error says more than "Connection is closed"
  } finally {
    redis.disconnect();
  }
}

function isNetworkFault({ code, message }: NodeJS.ErrnoException): boolean {
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'].includes(code ?? '') || /^LOADING/.test(message)
  );
}

function explain({ message }: Error): string {
  if (/NOAUTH/.test(message)) return 'it asks for a password. Write redis://:<password>@host:port';
  if (/WRONGPASS|invalid password/i.test(message)) return 'it refuses this user name or password.';
  if (/NOPERM/.test(message)) {
    return `this user lacks rights (${message}). Give them with\n  ACL SETUSER <user> on ~* &* +@all -@dangerous +info +flushdb +keys`;
  }
  if (/READONLY/.test(message)) return 'it is a read-only replica. Name the primary.';
  if (/OOM/.test(message)) return 'its memory is used up (maxmemory).';
  return `${message}.`;
}
