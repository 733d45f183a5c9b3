import type { Redis } from 'ioredis';

/** Whether replicas have what Redis took. */
export interface Replication {
  /** Resolves when they have all that was taken before this was asked, at the latest when the time is over; it never rejects. */
  reached(): Promise<void>;
  close(): void;
}

export interface ReplicationOptions {
  replicas: number;
  waitMs: number;
  /** Too few of them had it in time, or Redis went away: as many callers go on without. */
  onMissed(): void;
}

/** A server that knows of no write on this line waits for none: https://redis.io/docs/latest/commands/wait/ */
const mark = 'replication:asked';

/**
 * Waits for replicas on a line of its own: the server answers nothing else on a line that waits. Whoever asks while it waits shares the
 * next question, so that one is open at a time, however many callers there are. `redis` must neither resend nor queue commands: another
 * server would answer for its own writes.
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
      return false; // counted by each of those who asked
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
