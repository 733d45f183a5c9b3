import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DatastoreAway } from '@tollgate/contracts';
import { Redis } from 'ioredis';
import type { EncodedMessage } from '../bus.ts';
import { replayGroupOf } from '../dead-letter.ts';
import type { Driver, DriverOptions, RawSubscription } from './driver.ts';
import { consumeStreams } from './redis-consumer.ts';
import { withBusCommands } from './redis-scripts.ts';

/** Redis with `appendfsync everysec` may lose two seconds; a replica lags by less. */
const keptMs = 15_000;
/** Three seconds at the highest rate of one process, about 9 000 messages a second. */
const maxKept = 30_000;

interface SentBatch {
  topic: string;
  keys: string[];
  /** Length of each message in characters. */
  lengths: number[];
  /** The messages in one buffer: separate strings would each survive the young generation of the heap. */
  bytes: Buffer;
  at: number;
}

/** Keeps what a process sent in the last seconds, oldest first, to send it again to a Redis that lost it. */
class ResendBuffer {
  #sent: SentBatch[] = [];
  #count = 0;

  note(topic: string, messages: readonly EncodedMessage[]): void {
    const at = performance.now();
    const texts = messages.map(({ json }) => json);
    this.#sent.push({
      topic,
      keys: messages.map(({ key }) => key),
      lengths: texts.map(({ length }) => length),
      bytes: Buffer.from(texts.join('')),
      at,
    });
    this.#count += messages.length;
    let [oldest] = this.#sent;
    while (oldest && (at - oldest.at > keptMs || this.#count > maxKept)) {
      this.#sent.shift();
      this.#count -= oldest.keys.length;
      [oldest] = this.#sent;
    }
  }

  all(): { topic: string; messages: EncodedMessage[] }[] {
    const since = performance.now() - keptMs;
    return this.#sent.filter(({ at }) => at >= since).map((sent) => ({ topic: sent.topic, messages: messagesIn(sent) }));
  }
}

function messagesIn({ keys, lengths, bytes }: SentBatch): EncodedMessage[] {
  const texts = bytes.toString('utf8');
  let end = 0;
  return keys.map((key, at) => {
    const begin = end;
    end += lengths[at] ?? 0;
    return { key, json: texts.slice(begin, end) };
  });
}

/** A connection with a pending command and no response for this long is replaced. TCP alone would wait 15 minutes. */
const silentConnectionMs = 5_000;

/** Errors that waiting does not fix. */
const refusals = /^(?:ERR|NOAUTH|NOPERM|WRONGPASS|invalid)|certificate|password/i;

/**
 * The bus on Redis Streams, for one machine. Throws DatastoreAway when Redis does not answer, and an Error when Redis may evict keys. A
 * message is as durable as Redis's append-only file or replica. After a restart or failover Redis may have lost the last second, so
 * messages sent in the last seconds are sent again.
 */
export async function openRedisStreams(url: string, { logger, partitions, redisAccess, instance }: DriverOptions): Promise<Driver> {
  const redis = withBusCommands(
    new Redis(url, {
      ...redisAccess,
      lazyConnect: true,
      maxRetriesPerRequest: 3, // callers learn within seconds that Redis is down, and retry as they see fit
      socketTimeout: silentConnectionMs,
      connectTimeout: 3_000,
      retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 1_000),
    }),
  );
  let lastError: Error | undefined;
  redis.on('error', (error) => {
    lastError = error;
    logger.debug({ err: error }, 'redis connection');
  });
  const resendBuffer = new ResendBuffer();
  let server: string | undefined;
  try {
    await redis.connect().catch((error: Error) => {
      const { message } = lastError ?? error; // ioredis itself only reports "Connection is closed."
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
    sendAgain().catch((error: unknown) => logger.warn({ err: error }, 'recent messages could not be sent again'));
  });
  const known = new Map<string, Promise<number>>();
  const freshBirth = () => randomUUID().slice(0, 8);
  const tagOf = (topic: string) => `bus:{${topic}}:`;

  /** The partition count of a topic is fixed at its first use, whatever the setting, so that no key moves to another partition. */
  function partitionsOf(topic: string): Promise<number> {
    const count = known.get(topic) ?? settlePartitions(topic);
    known.set(topic, count);
    count.catch(() => known.delete(topic));
    return count;
  }

  async function settlePartitions(topic: string): Promise<number> {
    const key = `${tagOf(topic)}partitions`;
    const isDead = topic.endsWith('.dead');
    if (isDead) await redis.sadd(`${tagOf(topic)}groups`, replayGroupOf(topic)); // keeps letters until they are replayed
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
    const sent = resendBuffer.all();
    known.clear(); // the server may have lost these as well
    for (const { topic, messages } of sent) await add(topic, messages);
    server = now;
    const count = sent.reduce((sum, { messages }) => sum + messages.length, 0);
    if (count > 0) logger.info({ count }, 'Redis restarted or failed over: the messages of the last seconds were sent again');
  }

  return {
    async send(topic, messages) {
      await add(topic, messages);
      if (!topic.endsWith('.dead')) resendBuffer.note(topic, messages);
    },
    async subscribe(subscription: RawSubscription) {
      const { topic } = subscription;
      return consumeStreams(subscription, {
        redis,
        tag: tagOf(topic),
        partitions: await partitionsOf(topic),
        instance,
        logger,
        freshBirth,
      });
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

/** Identifies one run of one server. */
async function serverOf(redis: Redis): Promise<string | undefined> {
  return /run_id:(\w+)/.exec(await redis.info('server'))?.[1];
}

/** A Redis that evicts keys under memory pressure would lose money. */
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
