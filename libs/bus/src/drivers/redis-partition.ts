import type { Redis } from 'ioredis';
import { backoffMs, pauseFor } from './backoff.ts';
import type { RawDelivery, RawSubscription } from './driver.ts';
import type { BusRedis } from './redis-scripts.ts';

const blockMs = 2_000;
/** With this many events at the end of the wait, it waits as long again: the cost of a batch hardly grows with its size. */
const manyEvents = 32;

/** What a member receives when it takes or renews a partition. */
export interface Lease {
  partition: number;
  /** Fencing number: increases with every change of owner, so a former owner cannot commit. */
  fence: string;
  birth: string;
  run: string;
  /** Id of the last entry that the group has handled. */
  offset: string;
}

interface PartitionOptions {
  redis: BusRedis;
  tag: string;
  member: string;
  subscription: RawSubscription;
  lease: Lease;
  onProgress(): void;
  onFailure(error: unknown, attempt: number): void;
}

export interface PartitionReader {
  lease: Lease;
  /** Ends at once, regardless of the handler: the lease is lost. */
  abandon(): void;
  /** Lets the running batch finish and commit. */
  finish(): Promise<void>;
  ended: Promise<void>;
}

type Entry = [id: string, fields: string[]];

/**
 * Reads one owned partition in a loop: batch, handler, commit, starting after the last handled entry. Entries that were read but not
 * committed are read again, so none is skipped. Ends by itself when another member owns the partition.
 */
export function readPartition(options: PartitionOptions): PartitionReader {
  const { redis, tag, member, subscription, lease } = options;
  const { group, maxBatch, lingerMs } = subscription;
  const stream = `${tag}${lease.partition}`;
  let blocking = openBlocking(redis);
  const abandoned = new AbortController();
  const stopping = new AbortController();
  const ending = AbortSignal.any([abandoned.signal, stopping.signal]);
  ending.addEventListener('abort', () => blocking.disconnect());
  const olderRuns = new Set<string>();
  let position = lease.offset;

  async function nextBatch(): Promise<Entry[]> {
    const entries = await read(maxBatch, ['BLOCK', blockMs]);
    if (entries.length === 0 || lingerMs === 0) return entries;
    for (let waits = 0; entries.length < maxBatch && (waits === 0 || (waits === 1 && entries.length >= manyEvents)); waits += 1) {
      await pauseFor(lingerMs, ending);
      if (ending.aborted) return [];
      entries.push(...(await read(maxBatch - entries.length, [], entries.at(-1)?.[0])));
    }
    return entries;
  }

  async function read(count: number, block: (string | number)[], after = position): Promise<Entry[]> {
    const answer = (await blocking.call('XREAD', 'COUNT', count, ...block, 'STREAMS', stream, after)) as [string, Entry[]][] | null;
    return answer?.[0]?.[1] ?? [];
  }

  /** True when an entry was added after a server restart that this lease does not know: its position is then meaningless. */
  async function isFromLaterLife(entries: Entry[]): Promise<boolean> {
    for (const [, fields] of entries) {
      const run = (fields[1] ?? '').slice(8);
      if (run === lease.run || olderRuns.has(run)) continue;
      const now = /run_id:(\w{8})/.exec(await redis.info('server'))?.[1];
      if (now !== lease.run) return true;
      olderRuns.add(run);
    }
    return false;
  }

  async function loop(): Promise<void> {
    let attempt = 0;
    while (!ending.aborted) {
      try {
        const entries = await nextBatch();
        if (entries.length === 0) continue;
        if ((await isFromLaterLife(entries)) || ending.aborted) return;
        const batch = entries.map((entry) => toDelivery(entry, lease.partition));
        await subscription.handle(batch, abandoned.signal);
        const last = entries.at(-1)?.[0] ?? position;
        const { partition, fence, birth, run } = lease;
        if (abandoned.signal.aborted) return;
        if ((await redis.busCommit(tag, group, member, fence, partition, birth, run, last, entries.length)) === 0) return;
        position = last;
        attempt = 0;
        options.onProgress();
      } catch (error) {
        if (ending.aborted) return;
        attempt += 1;
        options.onFailure(error, attempt);
        await pauseFor(backoffMs(attempt), ending);
        if (blocking.status === 'end' && !ending.aborted) blocking = openBlocking(redis);
      }
    }
  }

  const ended = loop().finally(() => {
    abandoned.abort();
    blocking.disconnect();
  });
  return {
    lease,
    ended,
    abandon: () => abandoned.abort(),
    async finish() {
      stopping.abort();
      await ended;
    },
  };
}

/** A connection for blocking reads. It ends at its first error, because ioredis would leave a blocked command pending forever. */
function openBlocking(redis: Redis): Redis {
  const connection = redis.duplicate({ retryStrategy: () => null });
  connection.on('error', () => undefined); // the failing command rejects
  return connection;
}

function toDelivery([id, fields]: Entry, partition: number): RawDelivery {
  const dash = id.indexOf('-');
  const time = id.slice(0, dash);
  return {
    key: fields[3] ?? '',
    value: fields[5] ?? null,
    coordinates: { epoch: fields[1] ?? '', partition, offset: `${time.padStart(15, '0')}-${id.slice(dash + 1).padStart(12, '0')}` },
    timestampMs: Number(time),
  };
}
