import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { busRetentionMs } from '@tollgate/contracts';
import type { Admin, Kafka } from 'kafkajs';
import type { DriverOptions } from './driver.ts';
import type { TopicIdentities, TopicIdentity } from './kafka-topic-id.ts';

const maxMessageBytes = 4 * 1024 * 1024;
const deadRetentionMs = 90 * 24 * 3_600_000;

/** State that the parts of the driver share. */
export interface KafkaContext extends DriverOptions {
  kafka: Kafka;
  /** Retries longer: a consumer that gives up rejoins as a new member, and the group waits a session timeout for the old one. */
  consumerKafka: Kafka;
  identities: TopicIdentities;
  /** Returns the topic and creates it if missing. Rejects when the topic has fewer partitions than before. */
  ensureTopic(topic: string): Promise<TopicIdentity>;
}

/**
 * Runs `use` with a short-lived admin client. A long-lived one requests the metadata of every topic it has ever seen, so one deleted topic
 * would make all its later calls fail.
 */
export async function withAdmin<Result>(kafka: Kafka, use: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Identifies cluster, topic and creation in 16 characters that are valid in a field name. */
export function epochOf(topic: string, { clusterId, topicId }: TopicIdentity): string {
  return createHash('sha256').update(`${clusterId}/${topic}/${topicId}`).digest('hex').slice(0, 16);
}

/** Unhandled messages of the group, by partition. A committed offset of another epoch counts as none. */
export async function openByPartition(
  kafka: Kafka,
  { topic, group, epoch }: { topic: string; group: string; epoch: string },
): Promise<Map<number, number>> {
  const [ends, [committed]] = await withAdmin(kafka, (admin) =>
    Promise.all([admin.fetchTopicOffsets(topic), admin.fetchOffsets({ groupId: group, topics: [topic] })]),
  );
  const open = new Map<number, number>();
  for (const { partition, low, high } of ends) {
    const known = committed?.partitions.find((entry) => entry.partition === partition);
    const isOurs = known && Number(known.offset) >= 0 && (!known.metadata || known.metadata === epoch);
    const next = isOurs ? Math.max(Number(known.offset), Number(low)) : Number(low);
    open.set(partition, Math.max(0, Number(high) - next));
  }
  return open;
}

/**
 * Creates the topic and its dead-letter topic. The dead-letter topic keeps the highest partition count, which reveals a topic that was
 * recreated with fewer partitions: its keys would silently spread over fewer consumers.
 */
export async function ensureTopic(topic: string, context: KafkaContext): Promise<TopicIdentity> {
  const { identities, partitions } = context;
  if (topic.endsWith('.dead')) return (await identities.of(topic)) ?? createTopic(topic, partitions, context);
  const deadTopic = `${topic}.dead`;
  const dead = await identities.of(deadTopic);
  const identity = (await identities.of(topic)) ?? (await createTopic(topic, Math.max(partitions, dead?.partitions ?? 0), context));
  if (!dead) await createTopic(deadTopic, identity.partitions, context);
  else if (dead.partitions > identity.partitions) {
    throw new Error(
      `Kafka topic ${topic} has ${identity.partitions} partitions, it had ${dead.partitions} before. Raise it again ` +
        `(kafka-topics.sh --alter --topic ${topic} --partitions ${dead.partitions}); if fewer are meant, replay and delete topic ${deadTopic}.`,
    );
  } else if (dead.partitions < identity.partitions) {
    const growth = { topic: deadTopic, count: identity.partitions };
    await withAdmin(context.kafka, (admin) => admin.createPartitions({ topicPartitions: [growth] }));
  }
  return identity;
}

/** Creates a topic that survives the loss of one of three brokers. Several processes may try at once: one succeeds, all continue. */
async function createTopic(topic: string, numPartitions: number, { kafka, identities, logger }: KafkaContext): Promise<TopicIdentity> {
  await withAdmin(kafka, async (admin) => {
    const { brokers } = await admin.describeCluster();
    const replicationFactor = Math.min(3, brokers.length);
    const config = {
      'min.insync.replicas': replicationFactor === 3 ? 2 : 1,
      'unclean.leader.election.enable': false,
      'max.message.bytes': maxMessageBytes,
      'retention.ms': topic.endsWith('.dead') ? deadRetentionMs : busRetentionMs,
    };
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value: String(value) }));
    await admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor, configEntries }], waitForLeaders: false });
  });
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const identity = await identities.of(topic);
    if (identity && identity.led === identity.partitions) {
      logger.info({ topic, ...identity }, 'topic created');
      return identity;
    }
    await delay(50); // brokers learn of a new topic shortly after the controller
  }
  throw new Error(`Kafka topic ${topic} was created but does not appear`);
}
