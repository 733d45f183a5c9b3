import { setTimeout as delay } from 'node:timers/promises';
import { thisProcess } from '@tollgate/bus';
import { type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { Context } from '../context.ts';
import { queuePrefix } from './board.ts';

interface TakeOptions extends Pick<WorkerOptions, 'concurrency' | 'settings'> {
  /** How long work that is begun may take to end when the console stops. */
  stopMs: number;
  /** How long a worker that is not heard of keeps what it has begun. */
  lockMs: number;
}

/** Takes what comes into a queue of BullMQ, on a connection of its own, as one of all consoles. */
export function takeWork(
  { redis, log }: Pick<Context, 'redis' | 'log'>,
  queue: string,
  { process: work, stopMs, lockMs, ...options }: TakeOptions & { process: Processor<unknown> },
) {
  // A worker waits in Redis for what comes: no command may be given up, and none answers within a time.
  const connection = redis.duplicate({ maxRetriesPerRequest: null, commandTimeout: undefined });
  connection.on('error', () => {}); // the other connection has said so
  const atWork = new Set<Promise<unknown>>();
  const tracked: Processor<unknown> = (...job) => {
    const done = work(...job).finally(() => atWork.delete(done));
    atWork.add(done);
    return done;
  };
  const worker = new Worker<unknown>(queue, tracked, {
    ...options,
    connection,
    prefix: queuePrefix,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    name: thisProcess,
  });
  worker.on('error', (error) => log.debug({ err: error, queue }, 'the worker of jobs'));

  return {
    worker,
    /**
     * Takes nothing more, waits for what is begun, and leaves to the others what does not end in time. BullMQ's own ways of waiting could
     * not be hastened then, or would open its blocking line again afterwards; either keeps this process alive.
     */
    async stop(): Promise<void> {
      await worker.pause(true);
      const [over, late] = [new AbortController(), Symbol('late')];
      const inTime = <Result>(ending: Promise<Result>) =>
        Promise.race([ending, delay(stopMs, late, { signal: over.signal }).catch(() => late)]);
      const isLate = (await inTime(Promise.allSettled(atWork))) === late;
      if (isLate) await worker.close(true);
      else await inTime(worker.close());
      over.abort();
      connection.disconnect();
    },
  };
}
