import { DatastoreAway } from '@tollgate/contracts';
import { Kafka, type KafkaConfig, type logCreator, logLevel, Partitioners, type Producer } from 'kafkajs';
import type { BusLogger } from '../bus.ts';
import { silenceKafkajs } from '../silence-kafkajs.ts';
import type { Driver, DriverOptions } from './driver.ts';
import { resolveKafkaAccess } from './kafka-access.ts';
import { consumeKafka } from './kafka-consumer.ts';
import { LoginRefused } from './kafka-login.ts';
import { openTopicIdentities, type TopicIdentity } from './kafka-topic-id.ts';
import { ensureTopic, epochOf, type KafkaContext, openByPartition } from './kafka-topics.ts';

/**
 * Messages that kafkajs logs as errors although it retries them: normal starts and rebalances, several processes creating a topic at once,
 * each attempt to reach a broker that is down (publisher and consumer report those themselves), and its note that limited retries may cause
 * duplicates, which every handler tolerates.
 */
const normal =
  /group coordinator|coordinator is (loading|not available)|GroupCoordinator|rebalanc|not aware of this member|does not host this topic-partition|leadership election|no leader|topic creation errors|limiting retries|connection error|seed broker/i;
/** kafkajs logs every join, pause and stop as `info`; we log them as `debug`. */
const levels: Record<number, keyof BusLogger> = {
  [logLevel.ERROR]: 'warn', // kafkajs retries these; it reports a permanent end of the consumer as CRASH
  [logLevel.WARN]: 'warn',
  [logLevel.INFO]: 'debug',
  [logLevel.DEBUG]: 'debug',
};

/** Writes kafkajs's log lines to our logger, and the noise of normal starts and rebalances as `debug`. */
function kafkaLog(logger: BusLogger): logCreator {
  return () =>
    ({ namespace, level, log }) => {
      const {
        message,
        timestamp: _timestamp,
        logger: _logger,
        stack: _stack,
        ...data
      } = log as Record<string, unknown> & { message: string };
      const isNoise = normal.test(`${message} ${String(data.error ?? '')}`);
      logger[isNoise ? 'debug' : (levels[level] ?? 'debug')]({ kafka: namespace, ...data }, message);
    };
}

/** The bus on Kafka. `kafka://host:port,host:port`. Rejects with DatastoreAway when no broker answers, with LoginRefused when the login is refused. */
export async function openKafka(url: string, options: DriverOptions): Promise<Driver> {
  silenceKafkajs();
  const brokers = url
    .replace(/^kafka:\/\//, '')
    .replace(/\/$/, '')
    .split(',')
    .map((broker) => broker.replaceAll('kafka://', '').trim());
  const enteredBy = await resolveKafkaAccess(options.kafkaAccess).catch((error: Error) => {
    throw error instanceof LoginRefused ? error : new DatastoreAway('Kafka', error.message, { cause: error });
  });
  const clientWith = (retries: number) =>
    new Kafka({
      clientId: options.clientId,
      brokers,
      ...(enteredBy as Pick<KafkaConfig, 'sasl' | 'ssl'>),
      logCreator: kafkaLog(options.logger),
      connectionTimeout: 3_000,
      requestTimeout: 15_000,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries },
    });
  const kafka = clientWith(6);
  const identities = openTopicIdentities(brokers, enteredBy);
  const context: KafkaContext = {
    ...options,
    kafka,
    consumerKafka: clientWith(60),
    identities,
    ensureTopic: (topic) => ensureTopic(topic, context),
  };
  const ensured = new Map<string, Promise<TopicIdentity>>();
  let producer: Promise<Producer> | undefined;

  /** Checks each topic once per process, and again after a failed send because the topic may be gone. */
  function ensureOnce(topic: string): Promise<TopicIdentity> {
    const known = ensured.get(topic) ?? context.ensureTopic(topic);
    ensured.set(topic, known);
    known.catch(() => ensured.delete(topic));
    return known;
  }

  async function connectProducer(): Promise<Producer> {
    const fresh = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1, // kafkajs's idempotence is unsafe with more than one
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await fresh.connect();
    return fresh;
  }

  try {
    await identities.of('ready');
  } catch (error) {
    identities.close();
    if (error instanceof LoginRefused) throw error;
    throw new DatastoreAway('Kafka', `no Kafka broker answers at ${brokers.join(', ')}`, { cause: error });
  }
  return {
    async send(topic, messages) {
      await ensureOnce(topic);
      producer ??= connectProducer();
      const current = producer;
      try {
        await (await current).send({ topic, acks: -1, messages: messages.map(({ key, json }) => ({ key, value: json })) });
      } catch (error) {
        // A producer whose sequence numbers the broker rejects never recovers. A new one gets a new producer id.
        if (producer === current) producer = undefined;
        ensured.delete(topic);
        void current.then((failed) => failed.disconnect()).catch(() => undefined);
        throw error;
      }
    },
    subscribe: (subscription) => consumeKafka(subscription, context),
    async lag(topic, group) {
      const identity = await context.ensureTopic(topic);
      const open = await openByPartition(kafka, { topic, group, epoch: epochOf(topic, identity) });
      return [...open.values()].reduce((sum, count) => sum + count, 0);
    },
    async ready() {
      await identities.of('ready'); // any topic: only the round trip matters
    },
    async close() {
      await producer?.then((current) => current.disconnect()).catch(() => undefined); // closing either way
      identities.close();
    },
  };
}
