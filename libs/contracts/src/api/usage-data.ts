import { z } from 'zod';
import { longestHourlyUsage } from '../constants.ts';
import { queryNumber, queryText, queryZone } from './common.ts';
import { route } from './route.ts';

/** What usage can be told apart by. */
export const usageDimensions = ['model', 'token', 'channel', 'group', 'user'] as const;
export type UsageDimension = (typeof usageDimensions)[number];

/** What one row covers. A week begins on Monday. */
export const usageSteps = ['hour', 'day', 'week', 'total'] as const;
export type UsageStep = (typeof usageSteps)[number];

/** So many of a dimension are told apart, those that cost the most; what is left of each step comes as one row without a key. */
export const mostUsageKeys = 100;

/** An answer has about so many rows: of many steps fewer are told apart. */
export const mostUsageRows = 5000;

/** The step in which everybody's usage is answered: the one asked for, unless it is too fine for the span (unix seconds). */
export function usageStepOf(asked: UsageStep, start: number, end: number): UsageStep {
  return asked === 'hour' && end - start > longestHourlyUsage ? 'day' : asked;
}

export const usageDataQuery = z.object({
  start_timestamp: queryNumber,
  end_timestamp: queryNumber,
  username: queryText,
  by: z.enum(usageDimensions).default('model'),
  /** IANA name of the time zone of days and weeks; '' is UTC. */
  zone: queryZone,
  /**
   * '': an hour, of more than eight days a day. Everybody's of more than eight days comes by day at the shortest; by channel, token and user of many
   * rows by day of UTC. Each row says its step and zone.
   */
  default_time: z
    .enum(['', ...usageSteps])
    .catch('')
    .default(''),
  /** 0: as many as there may be. Where that is more than an answer carries, fewer. */
  top: z.coerce.number().int().min(0).max(mostUsageKeys).catch(0).default(0),
});
export type UsageDataQuery = z.infer<typeof usageDataQuery>;

/** Usage of one model, token, channel, group or user in one step. `user_id` and `username` are empty where it is everybody's. */
export const usageDataRow = z.object({
  user_id: z.number(),
  username: z.string(),
  /** Only of usage by model. */
  model_name: z.string(),
  /** Which one: the name of a model or a group, else an id; '' is the rest. A token's is 0 for the playground. */
  key: z.string(),
  /** What it is called. */
  label: z.string(),
  /** What the row covers, and the time zone whose days and weeks they are. */
  step: z.enum(usageSteps),
  zone: z.string(),
  /** The step's begin, unix seconds; of a total the begin of what was asked for. */
  created_at: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Both together. */
  token_used: z.number(),
  count: z.number(),
  quota: z.number(),
  /** The part of `quota` that no balance covered; negative where what was given back had not been collected. */
  uncollected: z.number(),
});
export type UsageDataRow = z.infer<typeof usageDataRow>;

export const usageDataRoutes = {
  'GET /api/data': route({
    summary: 'Usage by model, token, channel, group or user, of everybody or of one user, in at most 366 days',
    access: 'admin',
    query: usageDataQuery,
    answer: z.array(usageDataRow),
    example: { query: { start_timestamp: 1_735_689_600, end_timestamp: 1_735_776_000, by: 'channel' } },
  }),
  'GET /api/data/self': route({
    summary: 'The own usage by model, token or group (administrators: by channel, too), in at most 31 days',
    access: 'user',
    query: usageDataQuery,
    answer: z.array(usageDataRow),
  }),
};
