import type { Redis } from 'ioredis';

/** What a cache may hold that somebody else may change. */
export const noticeKinds = ['token', 'user', 'channel', 'option'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const versionKey = 'config:version';
const channelPrefix = 'config:';
const pollMs = 2_000;

/** Counts the change and tells of it in one step, so that versions arrive in order. KEYS: 1 the version. ARGV: 1 the channel. Returns the version. */
const announcement = `
local version = redis.call('INCR', KEYS[1])
redis.call('PUBLISH', ARGV[1], version)
return version`;

/** Tells every process that something that it may have cached has changed. Call it after the change is stored. */
export async function announce(redis: Redis, kind: NoticeKind, id: string | number): Promise<void> {
  await redis.eval(announcement, 1, versionKey, `${channelPrefix}${kind}:${id}`);
}

export interface NoticeWatchOptions {
  redis: Redis;
  /** A connection of its own, since one that subscribes can do nothing else. The watch neither opens nor closes it. */
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
 * Hears of changes as they are announced. Pub/sub forgets whoever is away, so the version is polled besides: a number that we were
 * not told of means that a notice was missed (a reconnect, an emptied Redis), and `onGap` is called. Rejects when Redis is away at the start.
 */
export async function watchNotices(options: NoticeWatchOptions): Promise<NoticeWatch> {
  const { redis, subscriber, onNotice, onGap } = options;
  const pattern = `${channelPrefix}*`;
  let seen = 0;

  function onMessage(_pattern: string, channel: string, message: string): void {
    const version = Number(message);
    const [kind = '', ...id] = channel.slice(channelPrefix.length).split(':');
    if (!(noticeKinds as readonly string[]).includes(kind) || !Number.isInteger(version)) return;
    const isNext = version === seen + 1;
    seen = version;
    if (isNext) onNotice(kind as NoticeKind, id.join(':'));
    else onGap();
  }

  /** A version ahead of ours may only be a notice still on its way; it is a gap when it has not come by the next look. */
  let ahead: number | undefined;
  async function poll(wasAway: boolean): Promise<void> {
    const version = Number((await redis.get(versionKey)) ?? 0);
    const mayBeOnItsWay = !wasAway && version > seen && (ahead === undefined || seen >= ahead);
    ahead = version !== seen && mayBeOnItsWay ? version : undefined;
    if (version === seen || mayBeOnItsWay) return;
    seen = version;
    onGap();
  }

  /** Redis unreachable is for others to report; until it is back nobody can change anything either. */
  const look = () => void poll(false).catch(() => undefined);
  const lookAfterAbsence = () => void poll(true).catch(() => undefined);
  await subscriber.psubscribe(pattern);
  seen = Number((await redis.get(versionKey)) ?? 0); // what came before concerns nobody: nothing is cached yet
  subscriber.on('pmessage', onMessage);
  subscriber.on('ready', lookAfterAbsence);
  const timer = setInterval(look, options.pollMs ?? pollMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      subscriber.off('pmessage', onMessage);
      subscriber.off('ready', lookAfterAbsence);
      if (subscriber.status === 'ready') await subscriber.punsubscribe(pattern);
    },
  };
}
