import type { Redis } from 'ioredis';
import { type BusLogger, silentLogger } from './bus.ts';

/** What a cache may hold that somebody else may change. */
export const noticeKinds = ['token', 'user', 'channel', 'option'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

const versionKey = 'config:version';
const channelPrefix = 'config:';
/** What was missed is known this long after it was written, at worst: a look, and a second one at what may have been on its way. */
const pollMs = 1_500;
const secondLookMs = 200;
const tryAgainMs = 250;
const everything = 'everything';

/** Counts the change and tells of it in one step, so that versions arrive in order. KEYS: 1 the version. ARGV: 1 the channel. Returns the version. */
const announcement = `
local version = redis.call('INCR', KEYS[1])
redis.call('PUBLISH', ARGV[1], version)
return version`;

/** Tells every process that something that it may have cached has changed. Call it after the change is stored. */
export async function announce(redis: Redis, kind: NoticeKind, id: string | number): Promise<void> {
  await tell(redis, `${kind}:${id}`);
}

async function tell(redis: Redis, what: string): Promise<void> {
  await redis.eval(announcement, 1, versionKey, `${channelPrefix}${what}`);
}

export interface Announcer {
  /** As `announce`, but never rejects: what Redis did not take is told again until it does. */
  announce(kind: NoticeKind, id: string | number): Promise<void>;
  /** Tells what is left once more; gives up where Redis does not take it. */
  close(): Promise<void>;
}

/**
 * Announces changes for a process that stores them. A change that is stored is announced, whatever happens: a failed announcement is
 * made again, and since one may have died with the process before, opening tells everybody to drop everything.
 */
export async function openAnnouncer(redis: Redis, logger: Pick<BusLogger, 'warn'> = silentLogger): Promise<Announcer> {
  const owed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function tryToTell(what: string): Promise<void> {
    try {
      await tell(redis, what);
      owed.delete(what);
    } catch (error) {
      if (!owed.has(what)) logger.warn({ err: error, what }, 'a change could not be announced, trying again');
      owed.add(what);
    }
  }

  async function tellOwed(): Promise<void> {
    for (const what of owed) await tryToTell(what);
    timer = owed.size > 0 ? setTimeout(tellOwed, tryAgainMs).unref() : undefined;
  }

  async function say(what: string): Promise<void> {
    await tryToTell(what);
    if (owed.size > 0) timer ??= setTimeout(tellOwed, tryAgainMs).unref();
  }

  await say(everything);
  return {
    announce: (kind, id) => say(`${kind}:${id}`),
    async close() {
      clearTimeout(timer);
      for (const what of owed) {
        await tryToTell(what);
        if (owed.has(what)) break; // each further one would wait as long
      }
      clearTimeout(timer);
    },
  };
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
    if (!(noticeKinds as readonly string[]).includes(kind) && kind !== everything) return;
    if (!Number.isInteger(version)) return;
    const isNext = version === seen + 1 && kind !== everything;
    seen = version;
    if (isNext) onNotice(kind as NoticeKind, id.join(':'));
    else onGap();
  }

  /** A version ahead of ours may only be a notice still on its way; it is a gap when it has not come by the next look. */
  let ahead: number | undefined;
  async function poll(wasAway: boolean): Promise<void> {
    const asked = seen;
    const version = Number((await redis.get(versionKey)) ?? 0);
    if (version < seen && seen !== asked) return; // a notice has overtaken the answer
    const mayBeOnItsWay = !wasAway && version > seen && (ahead === undefined || seen >= ahead);
    ahead = version !== seen && mayBeOnItsWay ? version : undefined;
    if (ahead !== undefined) setTimeout(look, secondLookMs).unref();
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
