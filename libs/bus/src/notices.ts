import type { Redis } from 'ioredis';
import { type BusLogger, silentLogger } from './bus.ts';

/** What a process may cache and another one may change. */
export const noticeKinds = ['token', 'user', 'channel', 'option'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const versionKey = 'config:version';
const channelPrefix = 'config:';
/** A missed notice is detected after two polls at most: the second rules out a notice still on its way. */
const pollMs = 1_500;
const secondPollMs = 200;
const retryMs = 250;
const everything = 'everything';

/**
 * Increments the version and publishes the notice in one step, so that versions arrive in order. KEYS: 1 the version. ARGV: 1 the channel.
 * Returns the version.
 */
const announcement = `
local version = redis.call('INCR', KEYS[1])
redis.call('PUBLISH', ARGV[1], version)
return version`;

/** Notifies every process that something it may have cached has changed. Call it after the change is stored. */
export async function announce(redis: Redis, kind: NoticeKind, id: string | number): Promise<void> {
  await publish(redis, `${kind}:${id}`);
}

async function publish(redis: Redis, what: string): Promise<void> {
  await redis.eval(announcement, 1, versionKey, `${channelPrefix}${what}`);
}

export interface Announcer {
  /** Like `announce`, but never rejects: retries until Redis accepts the notice. */
  announce(kind: NoticeKind, id: string | number): Promise<void>;
  /** Sends the remaining notices once more; gives up when Redis does not accept them. */
  close(): Promise<void>;
}

/**
 * Announces changes for a process that stores them. Failed announcements are retried. Opening announces that everything is stale, because
 * the previous process may have died before it announced a change.
 */
export async function openAnnouncer(redis: Redis, logger: Pick<BusLogger, 'warn'> = silentLogger): Promise<Announcer> {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function tryToPublish(what: string): Promise<void> {
    try {
      await publish(redis, what);
      pending.delete(what);
    } catch (error) {
      if (!pending.has(what)) logger.warn({ err: error, what }, 'a change could not be announced, retrying');
      pending.add(what);
    }
  }

  async function publishPending(): Promise<void> {
    for (const what of pending) await tryToPublish(what);
    timer = pending.size > 0 ? setTimeout(publishPending, retryMs).unref() : undefined;
  }

  async function publishOrRetry(what: string): Promise<void> {
    await tryToPublish(what);
    if (pending.size > 0) timer ??= setTimeout(publishPending, retryMs).unref();
  }

  await publishOrRetry(everything);
  return {
    announce: (kind, id) => publishOrRetry(`${kind}:${id}`),
    async close() {
      clearTimeout(timer);
      for (const what of pending) {
        await tryToPublish(what);
        if (pending.has(what)) break; // each further notice would wait as long
      }
      clearTimeout(timer);
    },
  };
}

export interface NoticeWatchOptions {
  redis: Redis;
  /** A connection of its own, because a subscribed connection accepts no other commands. The watch neither opens nor closes it. */
  subscriber: Redis;
  onNotice(kind: NoticeKind, id: string): void;
  /** Notices may have been missed: everything cached may be stale. */
  onGap(): void;
  pollMs?: number;
}

export interface NoticeWatch {
  stop(): Promise<void>;
}

/**
 * Receives changes as they are announced. Pub/sub does not deliver to a disconnected client, so the version is polled as well: an unknown
 * version means a missed notice (a reconnect, an emptied Redis) and calls `onGap`. Rejects when Redis is down at the start.
 */
export async function watchNotices(options: NoticeWatchOptions): Promise<NoticeWatch> {
  const { redis, subscriber, onNotice, onGap } = options;
  const pattern = `${channelPrefix}*`;
  let seen = 0;

  function onMessage(_pattern: string, channel: string, message: string): void {
    const version = Number(message);
    const [kind = '', ...id] = channel.slice(channelPrefix.length).split(':');
    if (!(noticeKinds as readonly string[]).includes(kind) && kind !== everything) return;
    if (!Number.isInteger(version)) return;
    const isNext = version === seen + 1 && kind !== everything;
    seen = version;
    if (isNext) onNotice(kind as NoticeKind, id.join(':'));
    else onGap();
  }

  /** A newer version may only be a notice on its way. It is a gap when the notice has not arrived by the next poll. */
  let ahead: number | undefined;
  async function poll(wasDisconnected: boolean): Promise<void> {
    const asked = seen;
    const version = Number((await redis.get(versionKey)) ?? 0);
    if (version < seen && seen !== asked) return; // a notice arrived before this response
    const mayBeOnItsWay = !wasDisconnected && version > seen && (ahead === undefined || seen >= ahead);
    ahead = version !== seen && mayBeOnItsWay ? version : undefined;
    if (ahead !== undefined) setTimeout(pollNow, secondPollMs).unref();
    if (version === seen || mayBeOnItsWay) return;
    seen = version;
    onGap();
  }

  /** Others report that Redis is unreachable. Until it is back, no change can be made either. */
  const pollNow = () => void poll(false).catch(() => undefined);
  const pollAfterReconnect = () => void poll(true).catch(() => undefined);
  await subscriber.psubscribe(pattern);
  seen = Number((await redis.get(versionKey)) ?? 0); // earlier changes do not matter: nothing is cached yet
  subscriber.on('pmessage', onMessage);
  subscriber.on('ready', pollAfterReconnect);
  const timer = setInterval(pollNow, options.pollMs ?? pollMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      subscriber.off('pmessage', onMessage);
      subscriber.off('ready', pollAfterReconnect);
      if (subscriber.status === 'ready') await subscriber.punsubscribe(pattern);
    },
  };
}
