import { randomUUID } from 'node:crypto';
import { type KeyRest, noKey, restingKeysKey } from '@tollgate/contracts';
import { type Logger, parsedJson } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { type BreakerNews, type BreakerPlace, type Breakers, breakers } from './breaker.ts';

const newsChannel = 'breakers';

const id = z.number().int();
const reason = z.enum(['failing', 'limited', 'refused']);

/** News of one of several keys has `ofKey` instead of `channelId`: a release without keys would take it for the whole channel. */
const news = z
  .intersection(
    z.object({ from: z.string(), channelId: id.optional(), ofKey: z.tuple([id, id]).optional(), model: z.string() }),
    z.discriminatedUnion('change', [
      z.object({ change: z.literal('closed') }),
      z.object({ change: z.literal('opened'), reason, leftMs: z.number(), pauseMs: z.number() }),
    ]),
  )
  .transform(({ channelId, ofKey = [channelId ?? 0, noKey], ...rest }) => ({ ...rest, channelId: ofKey[0], keyId: ofKey[1] }));

function writtenNews({ channelId, keyId, ...rest }: BreakerNews, from: string): string {
  return JSON.stringify({ from, ...(keyId === noKey ? { channelId } : { ofKey: [channelId, keyId] }), ...rest });
}

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
          .publish(newsChannel, writtenNews(found, self))
          .catch((error: unknown) => logger.warn({ err: error }, 'other relays could not be told of a breaker'));
        if (found.keyId !== noKey)
          noteRest(redis, found).catch((error: unknown) => logger.warn({ err: error }, 'a resting key was not noted'));
      },
      takeProbe: async (place, forMs) => {
        try {
          return (await redis.set(turnKey(place), self, 'PX', forMs, 'NX')) === 'OK';
        } catch {
          return true; // a relay alone probes as it likes
        }
      },
      leaveProbe(place) {
        redis.eval(leaveTurn, 1, turnKey(place), self).catch(() => undefined); // it ends by itself
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

function turnKey({ channelId, keyId, model }: BreakerPlace): string {
  return keyId === noKey ? `breaker:probe:${channelId}:${model}` : `breaker:probe:${channelId}/${keyId}:${model}`;
}

const restsKeptSeconds = 120;

/** For the console, which shows how long a key rests. */
async function noteRest(redis: Redis, found: BreakerNews): Promise<void> {
  const { channelId, keyId, model } = found;
  const name = restingKeysKey(channelId);
  if (found.change === 'closed') return void (await redis.hdel(name, String(keyId)));
  const rest: KeyRest = { reason: found.reason, model, untilMs: Date.now() + found.leftMs };
  await redis.multi().hset(name, String(keyId), JSON.stringify(rest)).expire(name, restsKeptSeconds).exec();
}
