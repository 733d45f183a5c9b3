import { z } from 'zod';
import { passedOverReasons } from '../call-records.ts';
import { billItem } from '../events.ts';
import { pageQuery, pageView, queryNumber, queryText } from './common.ts';
import { route } from './route.ts';

/** Filters of the log lists and their stat; 0 and '' filter nothing. Times are unix seconds, both inclusive. */
export const logFilters = z.object({
  type: queryNumber,
  username: queryText,
  token_name: queryText,
  model_name: queryText,
  channel: queryNumber,
  group: queryText,
  start_timestamp: queryNumber,
  end_timestamp: queryNumber,
  request_id: queryText,
});
export type LogFilters = z.infer<typeof logFilters>;

export const listLogsQuery = pageQuery.extend(logFilters.shape);
export type ListLogsQuery = z.infer<typeof listLogsQuery>;

const failedAttemptView = z.object({
  channel: z.number(),
  channel_name: z.string(),
  /** Which of the channel's keys was used, where it has several. */
  key_id: z.number().optional(),
  status_code: z.number(),
  kind: z.string(),
  message: z.string(),
  duration_ms: z.number(),
  priority: z.number(),
  weight: z.number(),
});

const passedOverView = z.object({ channel: z.number(), channel_name: z.string(), reason: z.enum(passedOverReasons) });

/** What stands in a row's `other`, in the words of the product family. Rows that are no calls have nothing there. */
export const logDetails = z
  .strictObject({
    /** Milliseconds until the first token; -1 when the answer was no stream. */
    frt: z.number(),
    duration_ms: z.number(),
    model_ratio: z.number(),
    completion_ratio: z.number(),
    group_ratio: z.number(),
    /** US dollars a call; -1 when the call was priced by its tokens. */
    model_price: z.number(),
    cache_tokens: z.number(),
    cache_ratio: z.number(),
    /** Of `cache_tokens`, those of sound; where they cost something else, the last item of cached input. */
    audio_cache_tokens: z.number(),
    /** All cache writes, at what they cost on an average. */
    cache_creation_tokens: z.number(),
    cache_creation_ratio: z.number(),
    /** Those for five minutes and for an hour, where there were some for an hour. */
    cache_creation_ratio_5m: z.number(),
    cache_creation_tokens_1h: z.number(),
    cache_creation_ratio_1h: z.number(),
    /** Quota a US dollar when the call was charged. */
    quota_per_unit: z.number(),
    reasoning_tokens: z.number(),
    end_reason: z.string(),
    usage_source: z.string(),
    reasoning_effort: z.string(),
    /** What of the request was changed before it went to the provider. */
    changes: z.array(z.string()),
    is_model_mapped: z.literal(true),
    upstream_model_name: z.string(),
    /** Of an answer within a spoken session: the session's request id. */
    ws: z.literal(true),
    session_id: z.string(),
    /** Of calls with audio. */
    audio: z.literal(true),
    audio_input: z.number(),
    audio_output: z.number(),
    text_input: z.number(),
    text_output: z.number(),
    audio_ratio: z.number(),
    audio_completion_ratio: z.number(),
    /** Of a call that used more than tokens: what its price is made of. Dollars are before the ratio of the group. */
    items: z.array(billItem),
    /** Of a call that failed: the HTTP status that its caller was sent (499: they had left), and what kept it. */
    status_code: z.number(),
    error_code: z.string(),
    /** The API format and the family of the client. */
    dialect: z.string(),
    client: z.string(),
    /** Of a row without a call of its own: how many more failed alike in its minute. */
    further: z.number(),
    /** For administrators: the channels that were tried. */
    admin_info: z.object({
      use_channel: z.array(z.string()),
      /** Which of the channel's keys was used, where it has several. */
      key_id: z.number().optional(),
      /** Whether the channel and key answered that have the conversation in a cache; else which ones had answered before. */
      affinity: z.object({ how: z.enum(['new', 'kept', 'moved']), from: z.string().optional() }).optional(),
      /** Attempts that failed, in order. `message` is the provider's, without keys. */
      attempts: z.array(failedAttemptView).optional(),
      passed_over: z.array(passedOverView).optional(),
    }),
  })
  .partial();
export type LogDetails = z.infer<typeof logDetails>;

export const logView = z.object({
  /** Unique and stable, also for ordinary users. For calls it is the request id. */
  id: z.string(),
  user_id: z.number(),
  created_at: z.number(),
  type: z.number(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  token_id: z.number(),
  model_name: z.string(),
  quota: z.number(),
  /** The part of `quota` that could not be collected. */
  uncollected: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Seconds. */
  use_time: z.number(),
  is_stream: z.boolean(),
  /** 0 and '' for ordinary users. */
  channel: z.number(),
  channel_name: z.string(),
  group: z.string(),
  request_id: z.string(),
  /** JSON text of `LogDetails`. */
  other: z.string().refine((text) => logDetails.safeParse(JSON.parse(text)).success),
});
export type LogView = z.infer<typeof logView>;

/** `rpm` and `tpm` are those of the last 60 seconds. */
export const logStat = z.object({
  /** What calls cost, without what failed tasks gave back. */
  quota: z.number(),
  /** The part of it that no balance covered. */
  uncollected: z.number(),
  /** What failed tasks gave back. */
  given_back: z.number(),
  rpm: z.number(),
  tpm: z.number(),
  /** Unix seconds, where `quota` is not of the whole span: what was used before is not told apart by what was asked for, and too much to look through. */
  since: z.number().optional(),
});
export type LogStat = z.infer<typeof logStat>;

/** A type as a number (5: failed calls), a request id, or the whole name of a model or a token; for administrators of a user, too. */
export const searchLogsQuery = z.object({ keyword: queryText });
export type SearchLogsQuery = z.infer<typeof searchLogsQuery>;

/** The key of a token, with or without `sk-`. Better sent as `Authorization: Bearer`, which stands in nobody's history. */
export const apiKeyLogsQuery = z.object({ key: queryText });
export type ApiKeyLogsQuery = z.infer<typeof apiKeyLogsQuery>;

/** Unix seconds. Milliseconds, by mistake, would be everything: they are none. */
const deleteLogsQuery = z.object({ target_timestamp: z.coerce.number().max(1e11).catch(0).default(0) });

export const logRoutes = {
  'GET /api/log': route({
    summary: 'The log of all users',
    access: 'admin',
    query: listLogsQuery,
    answer: pageView(logView),
    example: { query: { type: 2, model_name: 'gpt-*', p: 1, page_size: 20 } },
  }),
  'GET /api/log/search': route({
    summary: 'The newest 100 rows of the log of all users that a keyword finds',
    access: 'admin',
    query: searchLogsQuery,
    answer: pageView(logView),
    example: { query: { keyword: 'gpt-4o' } },
  }),
  'GET /api/log/self/search': route({
    summary: 'The newest 100 rows of the own log that a keyword finds',
    access: 'user',
    query: searchLogsQuery,
    answer: pageView(logView),
  }),
  'GET /api/log/token': route({
    summary: 'The newest 100 rows of one token, for whoever has its key; pages of other sites may ask',
    access: 'anyone',
    csrfExempt: true,
    anyHost: true,
    forAnySite: true,
    query: apiKeyLogsQuery,
    answer: pageView(logView),
  }),
  'GET /api/log/stat': route({ summary: 'What the log of all users adds up to', access: 'admin', query: logFilters, answer: logStat }),
  'GET /api/log/self': route({ summary: 'The own log', access: 'user', query: listLogsQuery, answer: pageView(logView) }),
  'GET /api/log/self/stat': route({ summary: 'What the own log adds up to', access: 'user', query: logFilters, answer: logStat }),
  'DELETE /api/log': route({
    summary: 'Deletes what is older than a moment; answers how many rows',
    access: 'root',
    query: deleteLogsQuery,
    answer: z.number(),
    example: { query: { target_timestamp: 1_735_689_600 } },
  }),
};
