import { randomUUID } from 'node:crypto';
import { type Logger, parsedJson } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { z } from 'zod';
/** Other relays on the same Redis. */
export interface QueuePeers {
  /** Whether a hold of the user is open at another relay. From here on, and for `forMs`, they tell when one of his ends. */
  isOpenElsewhere(userId: number, forMs: number): Promise<boolean>;
  /** One of the user's holds has ended here, and calls of his wait elsewhere. */
  tellEnded(userId: number): void;
}

/**
 * Calls of one user that wait for each other. A small balance may be held whole by calls that will cost a fraction of it: a
 * call that finds nothing left then waits for one of them to end, instead of being refused what the user can well afford.
 */
export interface Turns {
  /** A hold of this user was taken. */
  taken(userId: number): void;
  /** It ended, however its call ended; the call that has waited longest is let try again. */
  ended(userId: number): void;
  /**
   * Waits for a turn: true when it has come, false when none of the user's holds is open at any relay, when it did not come by
   * `untilMs` (on the clock of `performance.now`), or when too much of the user's waits already.
   */
  wait(userId: number, wish: TurnWish): Promise<boolean>;
  /** Lets the next in line try, too: there may be something left for him. */
  next(userId: number): void;
  /** Another relay's calls of this user wait until `untilMs`; returns whether a hold of his is open here. */
  peerWaits(userId: number, untilMs: number): boolean;
  /** How many users have a hold open, or a call that waits. */
  readonly users: number;
}

export interface TurnWish {
  untilMs: number;
  /** What the call keeps in memory while it waits. */
  bytes: number;
  /** It has had a turn that was not enough: it waits at the head of the line. */
  isFirst: boolean;
}

interface Waiting {
  bytes: number;
  resolve(hasCome: boolean): void;
}

interface Line {
  open: number;
  waiting: Waiting[];
  bytes: number;
}

const mostWaiting = 1000;
/** So long nobody else is asked about a user again. */
const askedAgainMs = 500;
const mostRemembered = 10_000;

interface TurnOptions {
  patienceMs: number;
  /** Bytes that one user's waiting calls may keep in memory. */
  mostBytes: number;
  peers?: QueuePeers;
}

export function turns({ patienceMs, mostBytes, peers }: TurnOptions): Turns {
  const lines = new Map<number, Line>();
  const answers = new Map<number, { askedAt: number; isOpen: Promise<boolean> }>();
  const waitingElsewhere = new Map<number, number>();

  const lineOf = (userId: number) => {
    let line = lines.get(userId);
    if (line === undefined) {
      line = { open: 0, waiting: [], bytes: 0 };
      lines.set(userId, line);
    }
    return line;
  };
  const tidy = (userId: number, line: Line) => {
    if (line.open <= 0 && line.waiting.length === 0) lines.delete(userId);
  };

  function leave(userId: number, line: Line, waiting: Waiting, hasCome: boolean): void {
    const at = line.waiting.indexOf(waiting);
    if (at < 0) return;
    line.waiting.splice(at, 1);
    line.bytes -= waiting.bytes;
    tidy(userId, line);
    waiting.resolve(hasCome);
  }

  function wake(userId: number): void {
    const line = lines.get(userId);
    const first = line?.waiting[0];
    if (line !== undefined && first !== undefined) leave(userId, line, first, true);
  }

  /** Asked once in a while, however many calls wait. */
  function isOpenElsewhere(userId: number): Promise<boolean> {
    if (peers === undefined) return Promise.resolve(false);
    const now = performance.now();
    const known = answers.get(userId);
    if (known !== undefined && now - known.askedAt < askedAgainMs) return known.isOpen;
    if (answers.size >= mostRemembered) answers.clear();
    const isOpen = peers.isOpenElsewhere(userId, patienceMs);
    answers.set(userId, { askedAt: now, isOpen });
    return isOpen;
  }

  return {
    taken(userId) {
      lineOf(userId).open += 1;
    },
    ended(userId) {
      const line = lines.get(userId);
      if (line === undefined) return;
      line.open -= 1;
      wake(userId);
      tidy(userId, line);
      const until = waitingElsewhere.get(userId);
      if (until === undefined) return;
      if (performance.now() < until) peers?.tellEnded(userId);
      else waitingElsewhere.delete(userId);
    },
    async wait(userId, { untilMs, bytes, isFirst }) {
      const elsewhere = isOpenElsewhere(userId);
      const isHere = (lines.get(userId)?.open ?? 0) > 0;
      if (!isHere && !(await elsewhere)) return false;
      const line = lineOf(userId);
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || line.waiting.length >= mostWaiting || line.bytes + bytes > mostBytes) {
        tidy(userId, line);
        return false;
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiting: Waiting = { bytes, resolve };
      line.bytes += bytes;
      if (isFirst) line.waiting.unshift(waiting);
      else line.waiting.push(waiting);
      const patience = setTimeout(() => leave(userId, line, waiting, false), leftMs);
      patience.unref();
      const hasCome = await promise;
      clearTimeout(patience);
      return hasCome;
    },
    next: wake,
    peerWaits(userId, untilMs) {
      if (waitingElsewhere.size >= mostRemembered) waitingElsewhere.clear();
      waitingElsewhere.set(userId, untilMs);
      return (lines.get(userId)?.open ?? 0) > 0;
    },
    get users() {
      return lines.size;
    },
  };
}

const newsChannel = 'turns';
/** A relay that has something of the user's open says so within this. */
const answerMs = 150;

const news = z.discriminatedUnion('say', [
  z.object({ say: z.literal('waits'), from: z.string(), userId: z.int(), forMs: z.number().nonnegative().max(3_600_000) }),
  z.object({ say: z.literal('open'), from: z.string(), userId: z.int() }),
  z.object({ say: z.literal('ended'), from: z.string(), userId: z.int() }),
]);
type News = z.infer<typeof news>;

interface SharedTurnsOptions {
  redis: Redis;
  subscriber: Redis;
  logger: Logger;
  patienceMs: number;
  mostBytes: number;
}

/**
 * Turns that all relays on one Redis take together, by pub/sub: a relay says that a user's call waits, those that hold
 * something of his say so, and tell when it ends. Nothing is said while nobody waits; a lost word costs the rest of a wait.
 * Rejects when Redis is away at the start.
 */
export async function shareTurns({
  redis,
  subscriber,
  logger,
  patienceMs,
  mostBytes,
}: SharedTurnsOptions): Promise<{ turns: Turns; stop(): Promise<void> }> {
  const self = randomUUID();
  const asking = new Map<number, (isOpen: boolean) => void>();

  /** How many relays have heard it, this one among them; 0 when Redis is away. */
  async function say(words: News): Promise<number> {
    try {
      return await redis.publish(newsChannel, JSON.stringify(words));
    } catch (error) {
      logger.warn({ err: error }, 'other relays could not be told of turns');
      return 0;
    }
  }

  const all = turns({
    patienceMs,
    mostBytes,
    peers: {
      async isOpenElsewhere(userId, forMs) {
        const { promise, resolve } = Promise.withResolvers<boolean>();
        asking.set(userId, resolve);
        const silence = setTimeout(() => resolve(false), answerMs);
        silence.unref();
        if ((await say({ say: 'waits', from: self, userId, forMs })) <= 1) resolve(false);
        const isOpen = await promise;
        clearTimeout(silence);
        asking.delete(userId);
        return isOpen;
      },
      tellEnded: (userId) => void say({ say: 'ended', from: self, userId }),
    },
  });

  function onMessage(channel: string, message: string): void {
    if (channel !== newsChannel) return;
    const heard = news.safeParse(parsedJson(message));
    if (!heard.success || heard.data.from === self) return;
    const { userId } = heard.data;
    if (heard.data.say === 'open') asking.get(userId)?.(true);
    else if (heard.data.say === 'ended') all.next(userId);
    else if (all.peerWaits(userId, performance.now() + heard.data.forMs)) void say({ say: 'open', from: self, userId });
  }

  subscriber.on('message', onMessage);
  await subscriber.subscribe(newsChannel);
  return {
    turns: all,
    async stop() {
      subscriber.off('message', onMessage);
      if (subscriber.status === 'ready') await subscriber.unsubscribe(newsChannel);
    },
  };
}
