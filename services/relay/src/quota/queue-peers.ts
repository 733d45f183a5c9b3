import { randomUUID } from 'node:crypto';
import type { Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type Turns, turns } from './user-queue.ts';

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
    const heard = news.safeParse(jsonIn(message));
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

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
