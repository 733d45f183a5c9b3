import { z } from 'zod';
import { pageQuery, queryNumber, queryText } from './common.ts';

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

export interface LogView {
  /** Unique and stable, also for ordinary users. For calls it is the request id. */
  id: string;
  user_id: number;
  created_at: number;
  type: number;
  content: string;
  username: string;
  token_name: string;
  token_id: number;
  model_name: string;
  quota: number;
  /** The part of `quota` that could not be collected. */
  uncollected: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Seconds. */
  use_time: number;
  is_stream: boolean;
  /** 0 and '' for ordinary users. */
  channel: number;
  channel_name: string;
  group: string;
  request_id: string;
  /** JSON text: frt, ratios, model_price, end_reason, usage_source, ... and for admins admin_info. */
  other: string;
}

/** `rpm` and `tpm` are those of the last 60 seconds. */
export interface LogStat {
  quota: number;
  rpm: number;
  tpm: number;
}
