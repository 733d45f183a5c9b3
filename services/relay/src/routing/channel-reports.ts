import type { UpstreamError } from '@tollgate/providers';
import type { Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import type { RoutedChannel } from './channel-table.ts';

/**
 * The relay does not switch channels off: they are the console's to write. It tells of failures that may be a reason, in the
 * Redis list `channel:failures`, as `{ channelId, kind, status, code, type, message, at }`, newest first and at most a thousand.
 * Only what a provider itself said is in it, without secrets, so that no caller's text can switch a channel off.
 */
const listKey = 'channel:failures';
const mostKept = 1000;
/** One channel that fails a thousand times a second says so once. */
const onceEveryMs = 1000;

export function channelReports({
  redis,
  logger,
}: {
  redis: Redis;
  logger: Logger;
}): (channel: RoutedChannel, error: UpstreamError) => void {
  const toldAt = new Map<number, number>();
  return (channel, error) => {
    const now = performance.now();
    if (!channel.autoBan || now - (toldAt.get(channel.id) ?? Number.NEGATIVE_INFINITY) < onceEveryMs) return;
    toldAt.set(channel.id, now);
    const { kind, status, code, type, message } = error;
    const entry = JSON.stringify({ channelId: channel.id, kind, status, code, type, message, at: Date.now() });
    redis
      .multi()
      .lpush(listKey, entry)
      .ltrim(listKey, 0, mostKept - 1)
      .exec()
      .catch((cause: unknown) => logger.warn({ channelId: channel.id, err: cause }, 'a failure of a channel could not be told'));
  };
}
