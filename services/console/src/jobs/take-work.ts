import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { Context } from '../context.ts';
import { queuePrefix } from './board.ts';

interface TakeOptions extends Pick<WorkerOptions, 'concurrency' | 'settings'> {
  /** How long work that is begun may take to end when the console stops. */
  stopMs: number;
  /** How long a worker that is not heard of keeps what it has begun. */
  lockMs: number;
}

/** Which console this is, for root: host and process. */
export const thisConsole = `${hostname()}:${process.pid}`;

/** Takes what comes into a queue of BullMQ, on a connection of its own, as one of all consoles. */
export function takeWork(
  { redis, log }: Pick<Context, 'redis' | 'log'>,
  queue: string,
  { process: work, stopMs, lockMs, ...options }: TakeOptions & { process: Processor<unknown> },
) {
  // A worker waits in Redis for what comes: no command may be given up, and none answers within a time.
  const connection = redis.duplicate({ maxRetriesPerRequest: null, commandTimeout: undefined });
  connection.on('error', () => {}); // the other connection has said so
  const worker = new Worker<unknown>(queue, work, {
    ...options,
    connection,
    prefix: queuePrefix,
    lockDuration: lockMs,
    stalledInterval: lockMs,
    name: thisConsole,
  });
  worker.on('error', (error) => log.debug({ err: error, queue }, 'the worker of jobs'));

  return {
    worker,
    /** What does not end in time is left to the others. */
    async stop(): Promise<void> {
      const ended = new AbortController();
      const closed = worker.close().finally(() => ended.abort());
      await Promise.race([closed, delay(stopMs, undefined, { signal: ended.signal }).catch(() => undefined)]);
      connection.disconnect();
    },
  };
}
