import type { Redis } from 'ioredis';

/** Waits for the replicas of Redis. */
export interface Replication {
  /** Resolves when the replicas have everything written before this call, or when the time is up. Never rejects. */
  reached(): Promise<void>;
  close(): void;
}

export interface ReplicationOptions {
  replicas: number;
  waitMs: number;
  /** Too few replicas confirmed in time, or Redis went down: this many callers go on without confirmation. */
  onMissed(): void;
}

/** WAIT returns at once on a connection without writes: https://redis.io/docs/latest/commands/wait/ */
const mark = 'replication:asked';

/**
 * Waits for replicas on its own connection, because WAIT blocks the connection. Callers that arrive meanwhile share the next WAIT, so one
 * is pending at a time. `redis` must neither resend nor queue commands: after a reconnect another server would confirm its own writes.
 */
export function openReplication(redis: Redis, { replicas, waitMs, onMissed }: ReplicationOptions): Replication {
  let current: Promise<boolean> = Promise.resolve(true);
  let next: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    try {
      const [, waited] = (await redis.pipeline().set(mark, '').wait(replicas, waitMs).exec()) ?? [];
      const [error, count] = waited ?? [];
      return error === null && Number(count) >= replicas;
    } catch {
      return false; // each caller is counted as missed
    }
  }

  function shared(): Promise<boolean> {
    next ??= current.then(() => {
      next = undefined;
      current = ask();
      return current;
    });
    return next;
  }

  return {
    async reached() {
      const late = Promise.withResolvers<false>();
      const timer = setTimeout(() => late.resolve(false), waitMs);
      const isThere = await Promise.race([shared(), late.promise]);
      clearTimeout(timer);
      if (!isThere) onMissed();
    },
    close: () => redis.disconnect(),
  };
}
