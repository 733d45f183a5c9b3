import { type Bus, type BusLogger, silentLogger } from './bus.ts';
import { consume } from './consume.ts';
import { deadTopicOf, replayGroupOf } from './dead-letter.ts';
import { replayDead } from './dead-letters.ts';
import type { Driver, DriverOptions, KafkaAccess, RedisAccess } from './drivers/driver.ts';
import { within } from './within.ts';

const readyWithinMs = 3_000;

export interface BusOptions {
  logger?: BusLogger;
  /** The name of this process in the server's logs and metrics. */
  clientId?: string;
  /**
   * Tells this process from others of its service, and is the same after a restart: a process takes the partitions of a killed one of the
   * same name at once, instead of after its session of 10 s (Redis: lease of 6 s).
   */
  instance?: string;
  /** For topics that do not exist yet; 8 by default. Limits how many consumers can share the work. */
  partitions?: number;
  /** Credentials and TLS, for Kafka. */
  kafka?: KafkaAccess;
  /** Connection options, for Redis Streams. */
  redis?: RedisAccess;
  /**
   * Called when consuming has failed permanently. By default the error is thrown uncaught, so that the process exits and its supervisor
   * restarts it.
   */
  onFatal?(error: Error): void;
}

/**
 * Opens the bus of a URL: `redis://...`, `rediss://...`, `/path/redis.sock?password=...` or `kafka://host:port,host:port`. Rejects with
 * DatastoreAway when the server does not answer.
 */
export async function openBus(url: string, options: BusOptions = {}): Promise<Bus> {
  const logger = options.logger ?? silentLogger;
  const driver = await openDriver(url, {
    logger,
    clientId: [options.clientId ?? 'tollgate', options.instance].filter(Boolean).join('-'),
    instance: options.instance,
    partitions: options.partitions ?? 8,
    kafkaAccess: options.kafka ?? {},
    redisAccess: options.redis ?? {},
    onFatal: options.onFatal ?? throwUncaught,
  });
  return {
    publish: (topic, messages) =>
      driver.send(
        topic.name,
        messages.map(({ key, value }) => ({ key, json: JSON.stringify(value) })),
      ),
    publishEncoded: (topic, messages) => driver.send(topic.name, messages),
    consume: (subscription) => consume(driver, subscription, logger),
    lag: (topic, group) => driver.lag(topic.name, group),
    deadLetters: (topic) => driver.lag(deadTopicOf(topic.name), replayGroupOf(deadTopicOf(topic.name))),
    replayDead: (topic) => replayDead(driver, topic, logger),
    ready: () => within(readyWithinMs, driver.ready(), `the bus did not answer in ${readyWithinMs} ms`),
    close: () => driver.close(),
  };
}

/** Loads only the client in use: kafkajs costs 60 ms and 10 MB that an installation on Redis does not need. */
async function openDriver(url: string, options: DriverOptions): Promise<Driver> {
  if (/^(rediss?:\/\/|\/)/.test(url)) return (await import('./drivers/redis-streams.ts')).openRedisStreams(url, options);
  if (url.startsWith('kafka://')) return (await import('./drivers/kafka.ts')).openKafka(url, options);
  throw new Error(
    `BUS_URL must begin with redis://, rediss:// or kafka://, or be the path of a Unix socket, not ${JSON.stringify(url.split(':')[0])}`,
  );
}

/** Leaves the exit to the handler of uncaught errors, which stops the process in order and within a time limit. */
function throwUncaught(error: Error): void {
  process.nextTick(() => {
    throw new Error('consuming has ended for good', { cause: error });
  });
}
