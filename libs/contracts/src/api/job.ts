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

export const jobsView = z.object({ counts, items: z.array(jobView) });
export type JobsView = z.infer<typeof jobsView>;

export const jobRoutes = {
  'GET /api/job': route({ summary: 'How much work waits, runs and has failed, and the newest of each', access: 'root', answer: jobsView }),
  'POST /api/job/:id/run': route({
    summary: 'Runs again what has failed',
    access: 'root',
    params: z.object({ id: z.string().min(1).max(64) }),
    example: { params: { id: 'failed-one' } },
  }),
};
