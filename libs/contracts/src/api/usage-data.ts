import { z } from 'zod';
import { queryNumber, queryText } from './common.ts';

export const usageDataQuery = z.object({ start_timestamp: queryNumber, end_timestamp: queryNumber, username: queryText });
export type UsageDataQuery = z.infer<typeof usageDataQuery>;

/** Usage of one model in one hour, for the dashboard. `user_id` and `username` are empty when it is everybody's. */
export interface UsageDataRow {
  user_id: number;
  username: string;
  model_name: string;
  /** The hour's begin, unix seconds. */
  created_at: number;
  token_used: number;
  count: number;
  quota: number;
}
