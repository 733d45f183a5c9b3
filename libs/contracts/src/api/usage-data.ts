import { z } from 'zod';
import { queryNumber, queryText } from './common.ts';
import { route } from './route.ts';

export const usageDataQuery = z.object({ start_timestamp: queryNumber, end_timestamp: queryNumber, username: queryText });
export type UsageDataQuery = z.infer<typeof usageDataQuery>;

/** Usage of one model in one hour, for the dashboard. `user_id` and `username` are empty when it is everybody's. */
export const usageDataRow = z.object({
  user_id: z.number(),
  username: z.string(),
  model_name: z.string(),
  /** The hour's begin, unix seconds. */
  created_at: z.number(),
  token_used: z.number(),
  count: z.number(),
  quota: z.number(),
});
export type UsageDataRow = z.infer<typeof usageDataRow>;

export const usageDataRoutes = {
  'GET /api/data': route({
    summary: 'Usage by model and hour, of everybody or of one user, in at most 366 days',
    access: 'admin',
    query: usageDataQuery,
    answer: z.array(usageDataRow),
    example: { query: { start_timestamp: 1_735_689_600, end_timestamp: 1_735_776_000 } },
  }),
  'GET /api/data/self': route({
    summary: 'The own usage by model and hour, in at most 31 days',
    access: 'user',
    query: usageDataQuery,
    answer: z.array(usageDataRow),
  }),
};
