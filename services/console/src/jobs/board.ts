import { randomUUID } from 'node:crypto';
import { type Job as Entry, type JobType, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** Where BullMQ keeps its keys: all in one slot of a Redis cluster. */
export const queueName = 'work';
export const queuePrefix = 'jobs:{console}';

/** How much is remembered of what is over. */
const doneKept = { count: 100, age: 7 * 24 * 3600 };
const failedKept = { count: 200, age: 30 * 24 * 3600 };
const firstPauseMs = 2000;

export const states = ['running', 'waiting', 'delayed', 'failed', 'completed'] as const;
export type JobState = (typeof states)[number];

/** A run of a job as BullMQ has it, and where it stands. */
export interface Run {
  state: JobState;
  entry: Entry<unknown>;
}

/** What the board has to know of a job. */
interface Startable<Data extends z.ZodType> {
  name: string;
  data: Data;
  alone: boolean;
  attempts: number;
}

/** Where jobs are asked for and looked at; `openWorker` does them. */
export interface Board {
  /** Has a job done; false when it runs or waits already and is one that runs alone. */
  start<Data extends z.ZodType>(job: Startable<Data>, data: z.input<Data>): Promise<boolean>;
  counts(): Promise<Record<JobState, number>>;
  /** The newest of each state. */
  list(limit: number): Promise<Run[]>;
  failed(id: string): Promise<Entry<unknown> | undefined>;
  close(): Promise<void>;
}

export function openBoard(redis: Redis): Board {
  const queue = new Queue<unknown>(queueName, { connection: redis, prefix: queuePrefix });
  queue.on('error', () => {}); // whoever asks hears of it; the connection itself has said so

  return {
    async start({ name, alone, attempts }, data) {
      const jobId = randomUUID();
      const added = await queue.add(name, data, {
        jobId,
        attempts,
        backoff: { type: 'exponential', delay: firstPauseMs },
        removeOnComplete: doneKept,
        removeOnFail: failedKept,
        stackTraceLimit: 1,
        ...(alone && { deduplication: { id: name } }),
      });
      return added.id === jobId;
    },
    async counts() {
      const counts = await queue.getJobCounts(...states.map(typeOf));
      return Object.fromEntries(states.map((state) => [state, counts[typeOf(state)] ?? 0])) as Record<JobState, number>;
    },
    async list(limit) {
      const lists = await Promise.all(states.map((state) => queue.getJobs(typeOf(state), 0, limit - 1)));
      return states.flatMap((state, place) =>
        (lists[place] ?? []).filter(Boolean).map((entry) => ({ state, entry: entry as Entry<unknown> })),
      );
    },
    async failed(id) {
      const entry = await queue.getJob(id);
      return entry && (await entry.isFailed()) ? (entry as Entry<unknown>) : undefined;
    },
    close: () => queue.close(),
  };
}

function typeOf(state: JobState): JobType {
  if (state === 'running') return 'active';
  return state === 'waiting' ? 'wait' : state;
}
