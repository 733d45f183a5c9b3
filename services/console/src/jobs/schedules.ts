import { repeat } from '@tollgate/runtime';
import type { Context } from '../context.ts';
import { scheduleQueueName, scheduleSettings } from './board.ts';
import type { Job } from './job.ts';
import { takeWork } from './take-work.ts';

/** What Redis may have lost, or another console may have set by older options, is set right after so long. */
const reviewMs = 60_000;

/**
 * Begins the jobs of a list when their time has come, once over all consoles: the times stand in Redis, and whoever is free takes the next
 * one and puts the job among the others. One that still runs, or waits, is not put there again.
 */
export function openSchedules(context: Context, jobs: readonly Job[]) {
  const { log, jobs: board } = context;
  const scheduled = jobs.filter(({ everyMs }) => everyMs);
  const { stop } = takeWork(context, scheduleQueueName, {
    settings: scheduleSettings,
    stopMs: 2000,
    lockMs: 10_000,
    async process({ name }) {
      const job = scheduled.find((each) => each.name === name);
      if (!job) return; // of a console that is newer than this one and takes it the next time, or older
      if (!(await board.start({ ...job, alone: true }, {}, { bySchedule: true })))
        log.debug({ job: name }, 'a job runs longer than its schedule');
    },
  });

  async function plan(): Promise<void> {
    for (const { name, everyMs } of scheduled) await board.schedule(name, everyMs?.(context) ?? 0);
  }
  const reviews = repeat('schedules of jobs', { everyMs: reviewMs, work: plan, logger: log });

  return {
    /** Reads the intervals again, because an option has changed. */
    plan,
    async stop(): Promise<void> {
      await Promise.all([reviews.stop(), stop()]);
    },
  };
}
