import type { Logger } from '@tollgate/runtime';
import type { Redis } from 'ioredis';
import { keyIdOf } from './key-pool.ts';
import type { RoutedChannel } from './routed-channel.ts';

/** The channel and key that answered a conversation last, where its provider has its prompt in a cache. */
export interface ServedBy {
  channelId: number;
  keyId: number;
}

/** Which channel and key each conversation was answered by, on all relays, for as long as providers keep prompts in their caches. */
export interface Affinity {
  /** Never rejects. Asked in one turn with the reservation, it costs no round trip of its own. */
  find(conversation: string): Promise<ServedBy | undefined>;
  keep(conversation: string, channel: RoutedChannel, lifeMs: number): void;
}

export function affinity(redis: Redis, logger: Pick<Logger, 'warn'>): Affinity {
  return {
    async find(conversation) {
      try {
        const [channelId, keyId] = (await redis.get(conversation))?.split('/') ?? [];
        return channelId === undefined ? undefined : { channelId: Number(channelId), keyId: Number(keyId) };
      } catch {
        return undefined;
      }
    },
    keep(conversation, channel, forMs) {
      redis
        .set(conversation, `${channel.id}/${keyIdOf(channel)}`, 'PX', forMs)
        .catch((error: unknown) => logger.warn({ err: error }, 'an affinity was not kept'));
    },
  };
}
