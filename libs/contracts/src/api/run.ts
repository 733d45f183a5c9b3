import { z } from 'zod';
import { longestRunId } from '../runs.ts';
import { line, pageQuery, pageView, queryText } from './common.ts';
import { route } from './route.ts';

const ceiling = z.int().min(0).max(1e15);
const runId = z.string().min(1).max(longestRunId);

/** Body of POST /api/run/: opens a run before its first call. */
export const openRunBody = z.object({
  token_id: z.int().positive(),
  run_id: runId,
  /** In quota units. */
  limit: ceiling,
});
export type OpenRunBody = z.infer<typeof openRunBody>;

/** Body of PUT /api/run/: the new ceiling. Of the run that unknown ids of a token share, it is the token's. */
export const changeRunBody = z.object({ id: line.min(1).max(64), limit: ceiling });
export type ChangeRunBody = z.infer<typeof changeRunBody>;

export const listRunsQuery = pageQuery;
export type ListRunsQuery = z.infer<typeof listRunsQuery>;

export const runView = z.object({
  /** The id of its budget. */
  id: z.string(),
  /** As callers name it; empty: all unknown runs of the token. */
  run_id: z.string(),
  token_id: z.number(),
  token_name: z.string(),
  user_id: z.number(),
  /** In quota units: the ceiling, what was charged, and what open and uncharged calls hold. */
  limit: z.number(),
  used: z.number(),
  held: z.number(),
  percent: z.number(),
  opened_by: z.enum(['owner', 'caller']),
  opened_time: z.number(),
});
export type RunView = z.infer<typeof runView>;

/** Of a run: what each model cost, and its calls in their order, the newest 500. `total`: what the run had cost with the call. */
export const runDetail = z.object({
  run: runView,
  models: z.array(z.object({ model: z.string(), calls: z.number(), tokens: z.number(), quota: z.number() })),
  calls: z.array(
    z.object({
      id: z.string(),
      time: z.number(),
      model: z.string(),
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      duration_ms: z.number(),
      end_reason: z.string(),
      quota: z.number(),
      total: z.number(),
    }),
  ),
});
export type RunDetail = z.infer<typeof runDetail>;

const list = { query: listRunsQuery, answer: pageView(runView) };

export const runRoutes = {
  'GET /api/run/self': route({ summary: 'Runs of the own tokens, the newest first', access: 'user', ...list }),
  'GET /api/run': route({ summary: 'Runs of all tokens, the newest first', access: 'admin', ...list }),
  'GET /api/run/detail': route({
    summary: 'One run: cost by model, and its calls with the cost up to each',
    access: 'user',
    query: z.object({ id: queryText }),
    answer: runDetail,
    needs: 'a run',
    example: { query: { id: 'run-1' } },
  }),
  'POST /api/run': route({
    summary: 'Opens a run of one of the own tokens, with its ceiling',
    access: 'user',
    body: openRunBody,
    answer: runView,
    example: { body: { token_id: 1, run_id: 'task-17', limit: 500_000 } },
  }),
  'PUT /api/run': route({
    summary: 'Changes the ceiling of a run, which goes on',
    access: 'user',
    body: changeRunBody,
    answer: runView,
    needs: 'a run',
    example: { body: { id: 'run-1', limit: 1_000_000 } },
  }),
};
