import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, type Consumer, type EachBatchPayload, type KafkaMessage, type PartitionAssigner, PartitionAssigners } from 'kafkajs';
import { backoffMs, pauseFor } from './backoff.ts';
import type { RawConsumption, RawDelivery, RawSubscription } from './driver.ts';
import { removePredecessors } from './kafka-predecessor.ts';
import { epochOf, type KafkaContext, openByPartition, withAdmin } from './kafka-topics.ts';

const sessionTimeoutMs = 10_000;
const rebalanceTimeoutMs = 60_000;
const heartbeatMs = 1_000;
const watchMs = 5_000;
/** A kafkajs client that fetches nothing for this long, not even an empty response, hangs. */
const silenceMs = 60_000;
const minFetchBytes = 64 * 1024;
/** Attempts of kafkajs, up to a second apart, in which it keeps its membership. */
const retries = 60;

/**
 * Reads a topic in a consumer group. Restarts by itself when the topic is recreated, the client hangs, or it crashes with a retryable
 * error.
 */
export async function consumeKafka(subscription: RawSubscription, context: KafkaContext): Promise<RawConsumption> {
  const { topic, group } = subscription;
  const { kafka, identities, logger } = context;
  const closing = new AbortController();
  const attempts = new Map<number, number>();
  const resumeTimers = new Set<NodeJS.Timeout>();
  /** The running handler per partition: kafkajs may deliver a partition again while its old batch still runs. */
  const atWork = new Map<number, Promise<void>>();
  /** The last offset handled by this process, per owned partition, for the same reason. */
  const handled = new Map<number, number>();
  let open = new Map<number, number>();
  let assigned = new Set<number>();
  let generation = 0;
  let epoch = '';
  let positioning: Promise<void> | undefined;
  let restarting: Promise<void> | undefined;
  let lastProgressMs = Date.now();
  let lastFetchMs = Date.now();
  let consumer: Consumer;

  async function start(): Promise<void> {
    const identity = await context.ensureTopic(topic);
    epoch = epochOf(topic, identity);
    logger.info({ topic, group, epoch, clusterId: identity.clusterId, topicId: identity.topicId }, 'consuming');
    let cluster: Cluster | undefined;
    const assigner: PartitionAssigner = (config) => {
      cluster = config.cluster; // kafkajs shows it to assigners only
      return PartitionAssigners.roundRobin(config);
    };
    let isRestarted = false;
    consumer = context.consumerKafka.consumer({
      groupId: group,
      retry: {
        retries,
        // kafkajs would join as another member and wait for the session of the one that it was to expire
        async restartOnFailure() {
          isRestarted = true;
          void Promise.resolve(restarting).then(() => restart('the client gave up'));
          return false;
        },
      },
      partitionAssigners: [assigner],
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: heartbeatMs,
      minBytes: subscription.lingerMs > 0 ? minFetchBytes : 1,
      maxWaitTimeInMs: Math.max(subscription.lingerMs, 50),
      allowAutoTopicCreation: false,
    });
    const { GROUP_JOIN, CRASH, FETCH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => {
      generation += 1;
      assigned = new Set(payload.memberAssignment[topic] ?? []);
      for (const partition of handled.keys()) if (!assigned.has(partition)) handled.delete(partition);
      positioning = undefined;
      positioned().catch(() => undefined); // the next caller tries again
    });
    consumer.on(FETCH, () => {
      lastFetchMs = Date.now();
    });
    consumer.on(CRASH, ({ payload }) => {
      if (!isRestarted && !closing.signal.aborted) context.onFatal(payload.error);
    });
    await consumer.connect();
    await subscribePatiently();
    if (cluster && context.instance !== undefined)
      await removePredecessors(cluster, { group, clientId: context.clientId, logger, signal: closing.signal });
    await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: identity.partitions, eachBatch });
    lastFetchMs = Date.now();
  }

  /** The broker may not know a new topic yet, and kafkajs does not retry in that case. */
  async function subscribePatiently(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await consumer.subscribe({ topics: [topic], fromBeginning: true });
        return;
      } catch (error) {
        if (attempt === 5) throw error;
        await pauseFor(backoffMs(attempt), closing.signal);
      }
    }
  }

  /** Resolves when the committed offsets of this generation are known to belong to this topic. A failed check is repeated. */
  function positioned(): Promise<void> {
    if (positioning) return positioning;
    const look = leaveForeignOffsets();
    positioning = look;
    look.catch(() => {
      if (positioning === look) positioning = undefined;
    });
    return look;
  }

  /** An offset committed for an earlier topic of this name is meaningless here: start at the beginning. */
  async function leaveForeignOffsets(): Promise<void> {
    const [committed] = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId: group, topics: [topic] }));
    const foreign =
      committed?.partitions.filter(({ partition, metadata }) => assigned.has(partition) && metadata && metadata !== epoch) ?? [];
    if (foreign.length === 0) return;
    const ends = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
    for (const { partition } of foreign)
      consumer.seek({ topic, partition, offset: ends.find((end) => end.partition === partition)?.low ?? '0' });
    logger.warn(
      { topic, group, partitions: foreign.map(({ partition }) => partition) },
      'the topic was recreated: reading it from its beginning',
    );
  }

  /**
   * Runs after a batch was fetched. Topic ids are never reused, so an unchanged id proves that the batch is from this topic. Without the
   * check, offsets of a recreated topic could pass for handled ones and events would be skipped.
   */
  async function isSameTopic(partition?: number): Promise<boolean> {
    const identity = await identities.of(topic, partition);
    return identity !== undefined && epochOf(topic, identity) === epoch;
  }

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    const { partition } = payload.batch;
    const joined = generation;
    const { promise, resolve } = Promise.withResolvers<void>();
    const earlier = atWork.get(partition);
    atWork.set(partition, promise);
    try {
      await earlier;
      await handleBatch(payload, joined);
    } finally {
      resolve();
      if (atWork.get(partition) === promise) atWork.delete(partition);
    }
  }

  async function handleBatch(payload: EachBatchPayload, joined: number): Promise<void> {
    const { batch, isRunning, isStale } = payload;
    const { partition } = batch;
    try {
      await positioned();
      if (!(await isSameTopic(partition))) {
        void restart('the topic was made again');
        return;
      }
    } catch (error) {
      takeBreak(payload, error);
      return;
    }
    const seen = handled.get(partition) ?? -1;
    const messages = seen < 0 ? batch.messages : batch.messages.filter(({ offset }) => Number(offset) > seen);
    if (messages.length === 0) await commit(payload, batch.lastOffset());
    for (let from = 0; from < messages.length; from += subscription.maxBatch) {
      if (isStale() || !isRunning() || generation !== joined || restarting) return;
      const chunk = messages.slice(from, from + subscription.maxBatch);
      const last = chunk.at(-1)?.offset ?? batch.lastOffset();
      const outcome = await handleWithHeartbeat(payload, chunk);
      if ('error' in outcome) {
        takeBreak(payload, outcome.error);
        return;
      }
      attempts.delete(partition);
      lastProgressMs = Date.now();
      if (assigned.has(partition)) handled.set(partition, Number(last));
      open.set(partition, Math.max(0, Number(batch.highWatermark) - Number(last) - 1));
      if (generation !== joined) return; // the new owner of the partition commits it
      await commit(payload, last);
      if (outcome.lost) throw outcome.lost; // kafkajs rejoins the group
    }
  }

  async function handleWithHeartbeat(payload: EachBatchPayload, chunk: KafkaMessage[]): Promise<{ lost?: Error } | { error: unknown }> {
    const gone = new AbortController();
    let lost: Error | undefined;
    const beating = setInterval(() => {
      payload.heartbeat().catch((error: Error) => {
        lost ??= error;
        // During a rebalance a member may still finish and commit; a member that the group has removed may not.
        if (!/rebalanc/i.test(error.message)) gone.abort();
      });
    }, heartbeatMs);
    try {
      await subscription.handle(
        chunk.map((message) => toDelivery(message, payload.batch.partition)),
        gone.signal,
      );
      return { lost };
    } catch (error) {
      return { error };
    } finally {
      clearInterval(beating);
    }
  }

  /** The epoch is stored as metadata, so that a recreated topic does not accept the offset as its own. */
  async function commit(
    { batch: { partition }, resolveOffset, commitOffsetsIfNecessary }: EachBatchPayload,
    offset: string,
  ): Promise<void> {
    resolveOffset(offset);
    const next = { partition, offset: String(BigInt(offset) + 1n), metadata: epoch };
    await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [next] }] });
  }

  /** Pauses the partition while the others go on. Nothing was resolved, so the same messages are delivered again. */
  function takeBreak({ batch: { partition }, pause }: EachBatchPayload, error: unknown): void {
    const attempt = (attempts.get(partition) ?? 0) + 1;
    attempts.set(partition, attempt);
    logger.warn({ err: error, topic, group, partition, attempt }, 'batch failed, it will be delivered again');
    const resume = pause();
    const timer = setTimeout(() => {
      resumeTimers.delete(timer);
      resume();
    }, backoffMs(attempt));
    resumeTimers.add(timer);
  }

  function toDelivery({ key, value, offset, timestamp }: KafkaMessage, partition: number): RawDelivery {
    return {
      key: key?.toString() ?? '',
      value,
      coordinates: { epoch, partition, offset: offset.padStart(20, '0') },
      timestampMs: Number(timestamp),
    };
  }

  function restart(reason: string): Promise<void> {
    restarting ??= (async () => {
      logger.warn({ topic, group, reason }, 'the consumer restarts');
      for (let attempt = 1; !closing.signal.aborted; attempt += 1) {
        try {
          await consumer.disconnect();
          handled.clear();
          await start();
          break;
        } catch (error) {
          logger.warn({ err: error, topic, group, attempt }, 'the consumer could not restart, retrying');
          await pauseFor(backoffMs(attempt), closing.signal);
        }
      }
    })().finally(() => {
      restarting = undefined;
    });
    return restarting;
  }

  /** Detects what batches do not show: an idle recreated topic, the lag of partitions without events, a client that hangs. */
  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await delay(watchMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (closing.signal.aborted) return;
      try {
        if (!(await isSameTopic())) await restart('the topic was made again');
        else if (atWork.size === 0 && Date.now() - lastFetchMs > silenceMs) await restart('nothing was fetched for a minute');
        await positioned();
        open = await openByPartition(kafka, { topic, group, epoch });
        if (lagOfOwn() === 0) lastProgressMs = Date.now();
      } catch (error) {
        lastFetchMs = Date.now(); // without a bus, a client that fetches nothing is no fault of the client
        logger.warn({ err: error, topic, group }, 'the bus does not answer');
      }
    }
  }

  const lagOfOwn = () => [...open].reduce((sum, [partition, count]) => (assigned.has(partition) ? sum + count : sum), 0);

  await start();
  const watching = watch();
  return {
    progress: () => ({ lastProgressMs, lag: lagOfOwn(), partitions: [...assigned].sort((a, b) => a - b) }),
    async stop() {
      closing.abort();
      await Promise.all([watching, restarting]);
      for (const timer of resumeTimers) clearTimeout(timer);
      await consumer.disconnect();
      assigned.clear();
    },
  };
}
