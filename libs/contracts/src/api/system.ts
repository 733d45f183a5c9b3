import { z } from 'zod';
import { route } from './route.ts';

/** How the money path stands. Times are unix seconds, 0 while they have not come. */
export const systemView = z.object({
  /** Calls that are answered right now, and those that are answered and not charged yet: nearly always none. */
  open_calls: z.number(),
  answered_not_billed: z.number(),
  dead_letters: z.object({
    /** Events that nobody could read, by topic; they wait until they are published again. */
    waiting: z.record(z.string(), z.number()),
    /** When billing looked last. */
    looked_time: z.number(),
    /** Somebody has asked for them to be published again, and it has not begun. */
    replay_wanted: z.boolean(),
    /** The last replay: how many were published again, and how many had been too large to be kept whole. */
    replay_time: z.number(),
    replayed: z.number(),
    kept: z.number(),
  }),
});
export type SystemView = z.infer<typeof systemView>;

export const systemRoutes = {
  'GET /api/system': route({
    summary: 'How the money path stands: open calls, answered and not billed, dead letters',
    access: 'root',
    answer: systemView,
  }),
  'POST /api/system/replay': route({
    summary: 'Has the events that nobody could read published again, within seconds; do it once their cause is mended',
    access: 'root',
  }),
};
