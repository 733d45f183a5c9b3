import { z } from 'zod';
import { route } from './route.ts';

const counts = z.object({ running: z.number(), waiting: z.number(), delayed: z.number(), failed: z.number(), completed: z.number() });

/** A run of a job. Times are unix seconds, 0 while they have not come. */
export const jobView = z.object({
  id: z.string(),
  name: z.string(),
  /** `delayed`: it has failed, and will be tried again. */
  state: counts.keyof(),
  /** How often it was tried. */
  attempts: z.number(),
  created_time: z.number(),
  started_time: z.number(),
  ended_time: z.number(),
  /** Which console runs it, or ran it last: host and process. */
  console: z.string(),
  /** Why it failed last; '' when it did not. */
  reason: z.string(),
});
export type JobView = z.infer<typeof jobView>;

/** When a job begins by itself. Times are unix seconds. */
export const scheduleView = z.object({
  name: z.string(),
  /** Seconds from one run to the next. */
  every: z.number(),
  next_time: z.number(),
  /** When it last ended well, and which console had it; 0 and '' while it never has. */
  last_time: z.number(),
  last_console: z.string(),
});
export type ScheduleView = z.infer<typeof scheduleView>;

export const jobsView = z.object({ counts, items: z.array(jobView), schedules: z.array(scheduleView) });
export type JobsView = z.infer<typeof jobsView>;

export const jobRoutes = {
  'GET /api/job': route({
    summary: 'How much work waits, runs and has failed, the newest of each, and what begins by itself',
    access: 'root',
    answer: jobsView,
  }),
  'POST /api/job/:id/run': route({
    summary: 'Runs again what has failed',
    access: 'root',
    params: z.object({ id: z.string().min(1).max(64) }),
    example: { params: { id: 'failed-one' } },
  }),
};
