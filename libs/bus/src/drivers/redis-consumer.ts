import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BusLogger } from '../bus.ts';
import type { RawConsumption, RawSubscription } from './driver.ts';
import { type Lease, type PartitionReader, readPartition } from './redis-partition.ts';
import type { BusRedis } from './redis-scripts.ts';

const tickMs = 1_000;
/** A member without a heartbeat for this long counts as dead and its partitions are free. */
const leaseMs = 6_000;

interface ConsumerOptions {
  redis: BusRedis;
  tag: string;
  partitions: number;
  /** Takes the partitions of a killed member of the same instance at once. */
  instance: string | undefined;
  logger: BusLogger;
  freshBirth(): string;
}

/** Reads a fair share of a topic's partitions and rebalances when members join or leave the group. */
export async function consumeStreams(subscription: RawSubscription, options: ConsumerOptions): Promise<RawConsumption> {
  const { redis, tag, partitions, logger } = options;
  const { topic, group } = subscription;
  const own = options.instance === undefined ? '' : `${options.instance}:`;
  const member = own + randomUUID();
  const readers = new Map<number, PartitionReader>();
  const leaving = new Set<number>();
  const closing = new AbortController();
  let lastProgressMs = Date.now();
  let lag = 0;

  async function tick(killed = ''): Promise<void> {
    const answer = await redis.busTick(tag, group, member, leaseMs, partitions, options.freshBirth(), killed);
    if (closing.signal.aborted) return;
    const { share, leases, open } = readTick(answer);
    lag = open;
    if (lag === 0) lastProgressMs = Date.now();
    for (const [partition, reader] of readers) {
      const lease = leases.get(partition);
      const same = lease && lease.fence === reader.lease.fence && lease.birth === reader.lease.birth && lease.run === reader.lease.run;
      if (!same) reader.abandon();
    }
    for (const lease of leases.values()) {
      if (!readers.has(lease.partition) && !leaving.has(lease.partition)) start(lease);
    }
    for (const partition of [...leases.keys()].slice(share)) void giveBack(partition).catch(() => undefined); // a later tick retries
  }

  function start(lease: Lease): void {
    const reader = readPartition({
      redis,
      tag,
      member,
      subscription,
      lease,
      onProgress: () => {
        lastProgressMs = Date.now();
      },
      onFailure: (error, attempt) => {
        logger.warn({ err: error, topic, group, partition: lease.partition, attempt }, 'batch failed, it will be delivered again');
      },
    });
    readers.set(lease.partition, reader);
    // A later tick restarts a reader that ended by itself, from the last handled entry.
    void reader.ended.then(() => readers.delete(lease.partition));
  }

  async function giveBack(partition: number): Promise<void> {
    const reader = readers.get(partition);
    if (!reader || leaving.has(partition)) return;
    leaving.add(partition);
    try {
      await reader.finish();
      await redis.busRelease(tag, group, member, reader.lease.fence, partition);
    } finally {
      leaving.delete(partition);
    }
  }

  async function beat(): Promise<void> {
    while (!closing.signal.aborted) {
      await delay(tickMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted) return;
      await tick().catch((error: unknown) => logger.warn({ err: error, topic, group }, 'the bus does not answer'));
    }
  }

  await tick(own);
  const beating = beat();
  return {
    progress: () => ({ lastProgressMs, lag, partitions: [...readers.keys()].sort((a, b) => a - b) }),
    async stop() {
      closing.abort();
      await beating;
      await Promise.all([...readers.keys()].map((partition) => giveBack(partition).catch(() => undefined))); // on failure its lease expires
      await redis.zrem(`${tag}m:${group}`, member).catch(() => undefined); // on failure the membership expires
    },
  };
}

function readTick(answer: (string | number)[]): { share: number; leases: Map<number, Lease>; open: number } {
  const leases = new Map<number, Lease>();
  let open = 0;
  for (let i = 2; i < answer.length; i += 5) {
    const [partition, fence, birth, offset, lag] = answer.slice(i, i + 5);
    leases.set(Number(partition), {
      partition: Number(partition),
      fence: String(fence),
      birth: String(birth),
      offset: String(offset),
      run: String(answer[0]),
    });
    open += Math.max(0, Number(lag));
  }
  return { share: Number(answer[1]), leases, open };
}
