import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DatastoreAway } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import type { EncodedMessage } from '../bus.ts';
import { replayGroupOf } from '../dead-letter.ts';
import type { Driver, DriverOptions, RawSubscription } from './driver.ts';
import { consumeStreams } from './redis-consumer.ts';
import { withBusCommands } from './redis-scripts.ts';
import { SentLately } from './sent-lately.ts';

/** A line that is asked and says nothing for so long is given up for a new one: TCP alone would wait a quarter of an hour. */
const silentLineMs = 5_000;

/** What waiting does not mend. */
const refusals = /^(?:ERR|NOAUTH|NOPERM|WRONGPASS|invalid)|certificate|password/i;

/**
 * The bus on Redis Streams, for one machine. Throws at once: DatastoreAway when Redis does not answer, an Error when it may throw data away.
 * A message is as durable as Redis's append-only file, or its replica. What was sent in the last seconds is sent again to a Redis that is
 * not the one of before (started again, or a replica that took over): it may have lost its newest second.
 */
export async function openRedisStreams(url: string, { logger, partitions, redisAccess }: DriverOptions): Promise<Driver> {
  const redis = withBusCommands(
    new Redis(url, {
      ...redisAccess,
      lazyConnect: true,
      maxRetriesPerRequest: 3, // callers learn within seconds that Redis is away, and try again as they see fit
      socketTimeout: silentLineMs,
      connectTimeout: 3_000,
      retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 1_000),
    }),
  );
  let said: Error | undefined;
  redis.on('error', (error) => {
    said = error;
    logger.debug({ err: error }, 'redis connection');
  });
  const sentLately = new SentLately();
  let server: string | undefined;
  try {
    await redis.connect().catch((error: Error) => {
      const { message } = said ?? error; // ioredis itself says no more than "Connection is closed."
      const reason = `Redis does not answer at the address in BUS_URL: ${message}`;
      throw refusals.test(message) ? new Error(reason) : new DatastoreAway('the bus', reason);
    });
    await refuseUnfit(redis);
    server = await serverOf(redis);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  redis.on('ready', () => {
    sendAgain().catch((error: unknown) => logger.warn({ err: error }, 'what was sent lately could not be sent again'));
  });
  const known = new Map<string, Promise<number>>();
  const freshBirth = () => randomUUID().slice(0, 8);
  const tagOf = (topic: string) => `bus:{${topic}}:`;

  /** How many partitions a topic has: what it was first used with, whatever the setting says now, so that no key changes its place. */
  function partitionsOf(topic: string): Promise<number> {
    const count = known.get(topic) ?? settlePartitions(topic);
    known.set(topic, count);
    count.catch(() => known.delete(topic));
    return count;
  }

  async function settlePartitions(topic: string): Promise<number> {
    const key = `${tagOf(topic)}partitions`;
    const isDead = topic.endsWith('.dead');
    if (isDead) await redis.sadd(`${tagOf(topic)}groups`, replayGroupOf(topic)); // so that letters stay until they are replayed
    await redis.setnx(key, isDead ? 1 : partitions);
    return Number(await redis.get(key));
  }

  async function add(topic: string, messages: EncodedMessage[]): Promise<void> {
    const count = await partitionsOf(topic);
    const tag = tagOf(topic);
    const birth = freshBirth();
    const byPartition = groupByPartition(messages, count);
    await Promise.all([...byPartition].map(([partition, items]) => redis.busAdd(tag, partition, birth, ...items)));
  }

  async function sendAgain(): Promise<void> {
    const now = await serverOf(redis);
    if (now === server) return;
    const sent = sentLately.all();
    known.clear(); // it may have lost these, too
    for (const { topic, messages } of sent) await add(topic, messages);
    server = now;
    const count = sent.reduce((sum, { messages }) => sum + messages.length, 0);
    if (count > 0) logger.info({ count }, 'Redis is another than before: what was sent in the last seconds was sent again');
  }

  return {
    async send(topic, messages) {
      await add(topic, messages);
      if (!topic.endsWith('.dead')) sentLately.note(topic, messages);
    },
    async subscribe(subscription: RawSubscription) {
      const { topic } = subscription;
      return consumeStreams(subscription, { redis, tag: tagOf(topic), partitions: await partitionsOf(topic), logger, freshBirth });
    },
    async lag(topic, group) {
      return Math.max(0, await redis.busLag(tagOf(topic), group));
    },
    async ready() {
      await redis.ping();
    },
    async close() {
      redis.disconnect();
    },
  };
}

function groupByPartition(messages: EncodedMessage[], count: number): Map<number, string[]> {
  const byPartition = new Map<number, string[]>();
  for (const { key, json } of messages) {
    const partition = crc32(key) % count;
    const items = byPartition.get(partition);
    if (items) items.push(key, json);
    else byPartition.set(partition, [key, json]);
  }
  return byPartition;
}

/** One life of one server. */
async function serverOf(redis: Redis): Promise<string | undefined> {
  return /run_id:(\w+)/.exec(await redis.info('server'))?.[1];
}

/** A Redis that throws keys away under memory pressure would throw money away. */
async function refuseUnfit(redis: Redis): Promise<void> {
  const [memory, cluster] = await Promise.all([redis.info('memory'), redis.info('cluster')]);
  const policy = /maxmemory_policy:(\S+)/.exec(memory)?.[1];
  const limit = Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0);
  if (limit > 0 && policy && policy !== 'noeviction') {
    throw new Error(
      `Redis may evict usage events: its maxmemory-policy is ${policy}; set it to noeviction (CONFIG SET maxmemory-policy noeviction)`,
    );
  }
  if (/cluster_enabled:1/.test(cluster)) throw new Error('Redis runs as a cluster, which is not supported: name one server');
}
