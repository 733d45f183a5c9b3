import { z } from 'zod';
import { queryNumber, queryText } from './common.ts';
import { route } from './route.ts';

/** Milliseconds; each within 5 % of the exact value. */
export const percentiles = z.object({ p50: z.number(), p95: z.number(), p99: z.number() });
export type Percentiles = z.infer<typeof percentiles>;

/** How attempts at channels went. An attempt is one request to one provider; a call that falls over to another channel has several. */
export const attemptStats = z.object({
  attempts: z.number(),
  /** Failed attempts that speak against the channel: without refused requests, blocked content and clients that disconnected. */
  errors: z.number(),
  /** All failed attempts by kind. */
  failures: z.record(z.string(), z.number()),
  /** Failed attempts after which another channel was tried. */
  failovers: z.number(),
  /** Of successful attempts, in milliseconds; null where there are none. */
  duration: percentiles.nullable(),
  /** Until the first content of streams. */
  first_token: percentiles.nullable(),
  /** Output tokens per second of streams after their first content. */
  tokens_per_second: z.number().nullable(),
});
export type AttemptStats = z.infer<typeof attemptStats>;

export const channelHealth = attemptStats.extend({
  channel: z.number(),
  /** The last 24 hours, oldest first, each beginning at a full hour (unix seconds). */
  hours: z.array(z.object({ created_at: z.number(), attempts: z.number(), errors: z.number() })),
  /** The last ten minutes. */
  recent: z.object({ attempts: z.number(), errors: z.number() }),
});
export type ChannelHealth = z.infer<typeof channelHealth>;

export const statsSteps = ['minute', 'hour', 'day'] as const;
export type StatsStep = (typeof statsSteps)[number];

/** The longest span that each step is answered for, in seconds. */
export const longestStats = { minute: 6 * 3600, hour: 31 * 86_400, day: 366 * 86_400 } as const;

export const channelStatsQuery = z.object({
  /** Begin of a step and its length: minutes are kept for 3 days, hours for 100. Days are those of UTC. */
  step: z.enum(statsSteps).default('hour'),
  /** Unix seconds; 0: as long ago as the step allows, and now. */
  start_timestamp: queryNumber,
  end_timestamp: queryNumber,
});
export type ChannelStatsQuery = z.infer<typeof channelStatsQuery>;

export const channelStatsAnswer = z.object({
  total: attemptStats,
  steps: z.array(attemptStats.extend({ created_at: z.number() })),
  /** The models with most attempts first. */
  models: z.array(attemptStats.extend({ model: z.string() })),
});
export type ChannelStatsAnswer = z.infer<typeof channelStatsAnswer>;

export const callStatsQuery = channelStatsQuery.extend({ by: z.enum(['model', 'channel']).default('model') });
export type CallStatsQuery = z.infer<typeof callStatsQuery>;

export const callStatsRow = attemptStats.extend({
  /** A model's name or a channel's id; '' for all together. */
  key: z.string(),
  label: z.string(),
  /** Begin of the step in unix seconds; 0: the whole span. */
  created_at: z.number(),
});
export type CallStatsRow = z.infer<typeof callStatsRow>;

export const channelStatsRoutes = {
  'GET /api/channel/health': route({
    summary: 'Error rate, latency and traffic of channels in the last 24 hours',
    access: 'admin',
    /** Comma-separated ids; '' answers the channels with most errors in the last ten minutes. */
    query: z.object({ ids: queryText }),
    answer: z.array(channelHealth),
    example: { query: { ids: '1,2' } },
  }),
  'GET /api/channel/:id/stats': route({
    summary: 'Attempts at a channel by step and by model: errors, latency, tokens per second',
    access: 'admin',
    query: channelStatsQuery,
    answer: channelStatsAnswer,
    example: { params: { id: 1 }, query: { step: 'hour' } },
  }),
  'GET /api/data/calls': route({
    summary: 'Attempts of all calls by step, model or channel: errors, latency, tokens per second',
    access: 'admin',
    query: callStatsQuery,
    answer: z.array(callStatsRow),
    example: { query: { by: 'channel', step: 'hour' } },
  }),
};
