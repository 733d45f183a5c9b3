import { randomUUID } from 'node:crypto';
import { type Logger, parsedJson } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type BreakerNews, type Breakers, breakers } from './breaker.ts';

const newsChannel = 'breakers';

const news = z.intersection(
  z.object({ from: z.string(), channelId: z.number().int(), model: z.string() }),
  z.discriminatedUnion('change', [
    z.object({ change: z.literal('closed') }),
    z.object({ change: z.literal('opened'), reason: z.enum(['failing', 'limited']), leftMs: z.number(), pauseMs: z.number() }),
  ]),
);

/** Ends a turn if it is still ours. KEYS: 1 the turn. ARGV: 1 the process. Returns 1 when it was, else 0. */
const leaveTurn = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;

/**
 * Breakers that all relays on one Redis have in common. Opening and closing travel by pub/sub; whoever misses it finds out by
 * itself, as a relay alone would. Redis is asked only by a call that would probe. Rejects when Redis is away at the start.
 */
export async function shareBreakers({
  redis,
  subscriber,
  logger,
}: {
  redis: Redis;
  subscriber: Redis;
  logger: Logger;
}): Promise<{ breakers: Breakers; stop(): Promise<void> }> {
  const self = randomUUID();
  const all = breakers({
    peers: {
      tell(found: BreakerNews) {
        logger.info(found, 'breaker');
        redis
          .publish(newsChannel, JSON.stringify({ from: self, ...found }))
          .catch((error: unknown) => logger.warn({ err: error }, 'other relays could not be told of a breaker'));
      },
      takeProbe: async (channelId, model, forMs) => {
        try {
          return (await redis.set(turnKey(channelId, model), self, 'PX', forMs, 'NX')) === 'OK';
        } catch {
          return true; // a relay alone probes as it likes
        }
      },
      leaveProbe(channelId, model) {
        redis.eval(leaveTurn, 1, turnKey(channelId, model), self).catch(() => undefined); // it ends by itself
      },
    },
  });

  function onMessage(channel: string, message: string): void {
    if (channel !== newsChannel) return;
    const heard = news.safeParse(parsedJson(message));
    if (heard.success && heard.data.from !== self) all.hear(heard.data, performance.now());
  }

  subscriber.on('message', onMessage);
  await subscriber.subscribe(newsChannel);
  return {
    breakers: all,
    async stop() {
      subscriber.off('message', onMessage);
      if (subscriber.status === 'ready') await subscriber.unsubscribe(newsChannel);
    },
  };
}

function turnKey(channelId: number, model: string): string {
  return `breaker:probe:${channelId}:${model}`;
}
