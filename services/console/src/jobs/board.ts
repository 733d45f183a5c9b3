import { randomUUID } from 'node:crypto';
import { type Job as Entry, type JobType, Queue, type RepeatOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

/** Where BullMQ keeps its keys: all in one slot of a Redis cluster. */
export const queueName = 'work';
export const queuePrefix = 'jobs:{console}';

/** Holds nothing but the beginnings of jobs that have a schedule. */
export const scheduleQueueName = 'schedules';
export const scheduleSettings = { repeatStrategy: nextRun };

/** How much is remembered of what is over. */
const doneKept = { count: 100, age: 7 * 24 * 3600 };
const failedKept = { count: 200, age: 30 * 24 * 3600 };
const usualPauseMs = 2000;

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
  firstPauseMs?: number;
}

/** When a job begins again by itself. Times are unix milliseconds. */
export interface Schedule {
  name: string;
  everyMs: number;
  nextAt: number;
  /** The end of the last run that did not fail, and which console it was; undefined while there is none. */
  last?: { at: number; console: string } | undefined;
}

/** A hash: the last good run of each job that has a schedule. */
const lastRunsKey = `${queuePrefix}:last-runs`;

/** Where jobs are asked for and looked at; `openWorker` does them. */
export interface Board {
  /**
   * Has a job done; false when it runs or waits already and is one that runs alone. One that comes by its schedule is not remembered when it
   * went well: it would drive out the others.
   */
  start<Data extends z.ZodType>(job: Startable<Data>, data: z.input<Data>, how?: { bySchedule: boolean }): Promise<boolean>;
  /** Whether a job that runs alone runs or waits. */
  isUnderWay(job: { name: string }): Promise<boolean>;
  counts(): Promise<Record<JobState, number>>;
  /** The newest of each state. */
  list(limit: number): Promise<Run[]>;
  failed(id: string): Promise<Entry<unknown> | undefined>;
  schedules(): Promise<Schedule[]>;
  /** Has a job begun at once and then again and again; with another interval, only from then on. 0 ends it. */
  schedule(name: string, everyMs: number): Promise<void>;
  /** Notes that a job with a schedule was done. */
  ran(name: string, console: string): Promise<void>;
  close(): Promise<void>;
}

export function openBoard(redis: Redis): Board {
  const queue = new Queue<unknown>(queueName, { connection: redis, prefix: queuePrefix });
  const beginnings = new Queue(scheduleQueueName, { connection: redis, prefix: queuePrefix, settings: scheduleSettings });
  for (const each of [queue, beginnings]) each.on('error', () => {}); // whoever asks hears of it; the connection itself has said so

  async function schedules(): Promise<Schedule[]> {
    const [all, lastRuns] = await Promise.all([beginnings.getJobSchedulers(0, -1, true), redis.hgetall(lastRunsKey)]);
    return all.filter(Boolean).map(({ name, pattern, next }) => {
      const last = lastRuns[name] && (JSON.parse(lastRuns[name]) as { at: number; console: string });
      return { name, everyMs: Number(pattern), nextAt: next ?? 0, ...(last && { last }) };
    });
  }

  return {
    async start({ name, alone, attempts, firstPauseMs = usualPauseMs }, data, { bySchedule } = { bySchedule: false }) {
      const jobId = randomUUID();
      const added = await queue.add(name, data, {
        jobId,
        attempts,
        backoff: { type: 'exponential', delay: firstPauseMs },
        removeOnComplete: bySchedule || doneKept,
        removeOnFail: failedKept,
        stackTraceLimit: 1,
        ...(alone && { deduplication: { id: name } }),
      });
      return added.id === jobId;
    },
    isUnderWay: async ({ name }) => (await queue.getDeduplicationJobId(name)) !== null,
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
    schedules,
    async schedule(name, everyMs) {
      const known = (await schedules()).find((each) => each.name === name);
      if (known?.everyMs === everyMs) return;
      if (everyMs > 0)
        await beginnings.upsertJobScheduler(
          name,
          { pattern: String(everyMs), immediately: known === undefined },
          { name, opts: { attempts: 5, backoff: { type: 'fixed', delay: usualPauseMs }, removeOnComplete: true, removeOnFail: true } },
        );
      else if (known) await beginnings.removeJobScheduler(name);
    },
    ran: async (name, console) => void (await redis.hset(lastRunsKey, name, JSON.stringify({ at: Date.now(), console }))),
    close: async () => void (await Promise.all([queue.close(), beginnings.close()])),
  };
}

function typeOf(state: JobState): JobType {
  if (state === 'running') return 'active';
  return state === 'waiting' ? 'wait' : state;
}

/** BullMQ keeps the interval as a `pattern`: its own `every` begins all that is done by all installations at the same full second. */
function nextRun(now: number, { pattern, immediately }: RepeatOptions): number {
  return immediately ? now : now + Math.ceil(Number(pattern) * (0.95 + Math.random() / 10));
}
