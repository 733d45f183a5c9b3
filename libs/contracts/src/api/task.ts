import { z } from 'zod';
import { pageQuery, pageView, queryNumber, queryNumberTo, queryText } from './common.ts';
import { route } from './route.ts';

/** Milliseconds in a query; missing or no number filters nothing. */
const queryMs = queryNumberTo(1e14);

/** `status`: '' or one of `taskStatuses`. Times are inclusive; `channel_id` is for administrators. */
const filters = { channel_id: queryNumber, action: queryText, status: queryText };

/** Times are unix milliseconds, as the product family has them here. */
export const listDrawingsQuery = pageQuery.extend({ ...filters, mj_id: queryText, start_timestamp: queryMs, end_timestamp: queryMs });
export type ListDrawingsQuery = z.infer<typeof listDrawingsQuery>;

/** Times are unix seconds. */
export const listTasksQuery = pageQuery.extend({
  ...filters,
  platform: queryText,
  task_id: queryText,
  start_timestamp: queryNumber,
  end_timestamp: queryNumber,
});
export type ListTasksQuery = z.infer<typeof listTasksQuery>;

const common = {
  id: z.number(),
  user_id: z.number(),
  username: z.string(),
  /** 0 for ordinary users. */
  channel_id: z.number(),
  action: z.string(),
  status: z.string(),
  progress: z.string(),
  fail_reason: z.string(),
  quota: z.number(),
  /** Of a failed task: its charge is given back (`done`), will be (`due`), or was never made (`none`); '' of others. */
  refund: z.enum(['', 'due', 'done', 'none']),
  /** 0: not yet. */
  submit_time: z.number(),
  start_time: z.number(),
  finish_time: z.number(),
};

/** A drawing. Times are unix milliseconds. */
export const drawingView = z.object({
  ...common,
  mj_id: z.string(),
  /** What the provider answered to the submission: 1 taken, 21 there already, 22 queued, others refused. */
  code: z.number(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  image_url: z.string(),
  /** JSON texts, as the provider has them; '' where there is nothing. */
  buttons: z.string(),
  properties: z.string(),
});
export type DrawingView = z.infer<typeof drawingView>;

/** A piece of music. Times are unix seconds. */
export const taskView = z.object({
  ...common,
  created_at: z.number(),
  updated_at: z.number(),
  task_id: z.string(),
  platform: z.literal('suno'),
  properties: z.object({ input: z.string() }),
  /** The clips or the lyrics, as the provider has them. */
  data: z.unknown(),
});
export type TaskView = z.infer<typeof taskView>;

/** Lists that change while they are looked at: they carry an `ETag`, and answer 304 to who has them (`If-None-Match`). */
export const taskRoutes = {
  'GET /api/mj': route({
    summary: 'Drawings of all users, the newest first',
    access: 'admin',
    query: listDrawingsQuery,
    answer: pageView(drawingView),
    example: { query: { p: 1, channel_id: 1 } },
  }),
  'GET /api/mj/self': route({
    summary: 'The own drawings, the newest first',
    access: 'user',
    query: listDrawingsQuery,
    answer: pageView(drawingView),
    example: { query: { p: 1, status: 'SUCCESS' } },
  }),
  'GET /api/task': route({
    summary: 'Music of all users, the newest first',
    access: 'admin',
    query: listTasksQuery,
    answer: pageView(taskView),
    example: { query: { p: 1, platform: 'suno' } },
  }),
  'GET /api/task/self': route({
    summary: 'The own music, the newest first',
    access: 'user',
    query: listTasksQuery,
    answer: pageView(taskView),
    example: { query: { p: 1, action: 'MUSIC' } },
  }),
};
