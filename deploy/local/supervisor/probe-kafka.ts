import { type KafkaAccess, resolveKafkaAccess } from '@tollgate/bus';
import { datastoreAway } from '@tollgate/runtime';
import type { KafkaConfig } from 'kafkajs';
import { withoutPassword } from './probe-mongo.ts';
import { NoAnswer, Refusal } from './refusal.ts';

/** A real round trip: the cluster's metadata. kafkajs is loaded only where Kafka is used. Throws Refusal (NoAnswer). */
export async function checkGivenKafka(url: string, access: KafkaAccess): Promise<void> {
  const { Kafka, logLevel } = await import('kafkajs');
  const brokers =
    url
      .replace(/^kafka:\/\//, '')
      .split('/')[0]
      ?.split(',') ?? [];
  const enteredBy = await resolveKafkaAccess(access).catch((error: Error) => {
    throw new Refusal(`BUS_URL (${withoutPassword(url)}) does not work: ${error.message}.`);
  });
  const kafka = new Kafka({
    brokers,
    ...(enteredBy as Pick<KafkaConfig, 'sasl' | 'ssl'>),
    clientId: 'tollgate-start',
    logLevel: logLevel.NOTHING,
    connectionTimeout: 3_000,
    retry: { retries: 2 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers: live } = await admin.describeCluster();
    if (live.length === 0) throw new Error('the cluster has no broker');
  } catch (error) {
    const words = `BUS_URL (${withoutPassword(url)}) does not work: ${(error as Error).message}.`;
    throw datastoreAway(error) === undefined ? new Refusal(words) : new NoAnswer(words);
  } finally {
    await admin.disconnect();
  }
}
