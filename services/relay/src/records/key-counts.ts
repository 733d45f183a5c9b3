import { dayOf, type KeyCounter, keyCountDays, keyCountsKey } from '@tollgate/contracts';
import { type Logger, repeat } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import type { RoutedChannel } from '../routing/routed-channel.ts';

/** What the keys of channels with several do: shown in the console, apart from bills. A relay that dies loses its last seconds. */
export interface KeyCounts {
  answered(channel: RoutedChannel, ms: number): void;
  failed(channel: RoutedChannel): void;
  spent(channel: RoutedChannel, quota: number): void;
  close(): Promise<void>;
}

const everyMs = 5_000;
const keptSeconds = keyCountDays * 86_400;

export function keyCounts({ redis, logger, now }: { redis: Redis; logger: Pick<Logger, 'warn' | 'error'>; now(): number }): KeyCounts {
  let counts = new Map<number, Map<string, number>>();

  function add({ id, chosenKey }: RoutedChannel, counter: KeyCounter, amount: number): void {
    if (chosenKey === undefined || amount === 0) return;
    let own = counts.get(id);
    if (own === undefined) {
      own = new Map();
      counts.set(id, own);
    }
    const field = `${chosenKey.id}:${counter}`;
    own.set(field, (own.get(field) ?? 0) + amount);
  }

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const taken = counts;
    counts = new Map();
    const day = dayOf(now());
    const writes = redis.pipeline();
    for (const [channelId, own] of taken) {
      const name = keyCountsKey(channelId, day);
      for (const [field, amount] of own) writes.hincrby(name, field, amount);
      writes.expire(name, keptSeconds);
    }
    await writes.exec().catch((error: unknown) => logger.warn({ err: error }, 'counts of keys were not written'));
  }

  const writing = repeat('counts of keys', { everyMs, work: flush, logger });
  return {
    answered(channel, ms) {
      add(channel, 'calls', 1);
      add(channel, 'ms', Math.round(ms));
    },
    failed(channel) {
      add(channel, 'calls', 1);
      add(channel, 'failures', 1);
    },
    spent: (channel, quota) => add(channel, 'quota', quota),
    async close() {
      await writing.stop();
      await flush();
    },
  };
}
