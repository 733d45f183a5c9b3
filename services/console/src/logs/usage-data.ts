import type { UsageDataQuery, UsageDataRow } from '@tollgate/contracts';
import { UsageHourly } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../auth/caller.ts';
import { listTimeoutMs } from '../http/page.ts';
import { type Filter, ownScope, type Scope, scopeOf } from './filter.ts';

const longestOwnSpanSeconds = 31 * 86_400;
const longestSpanSeconds = 366 * 86_400;
/** So many rows come at once, without a second round trip. */
const wholeAnswer = 100_000;

/** Usage by model and hour, of everybody or of the named user. */
export async function usageData(query: UsageDataQuery): Promise<UsageDataRow[]> {
  return rowsOf(query, await scopeOf(query), { longest: longestSpanSeconds, username: query.username });
}

export async function ownUsageData(query: UsageDataQuery, caller: Caller): Promise<UsageDataRow[]> {
  return rowsOf(query, ownScope(caller), { longest: longestOwnSpanSeconds, username: caller.username });
}

async function rowsOf(
  query: UsageDataQuery,
  scope: Scope,
  { longest, username }: { longest: number; username: string },
): Promise<UsageDataRow[]> {
  const end = query.end_timestamp > 0 ? query.end_timestamp : Math.floor(Date.now() / 1000);
  const start = query.start_timestamp > 0 ? query.start_timestamp : end - longest;
  if (end - start > longest) throw new AppError('invalid_parameter', { reason: `the span is longer than ${longest / 86_400} days` });
  const userId = 'userId' in scope ? scope.userId : 0;
  const filter: Filter = { ...(userId !== 0 && { userId }), hour: { $gte: hourOf(start), $lte: new Date(end * 1000) } };
  const rows = await UsageHourly.aggregate<{
    _id: { model: string; hour: Date };
    quota: number;
    count: number;
    prompt: number;
    completion: number;
  }>([
    { $match: filter },
    {
      $group: {
        _id: { model: '$model', hour: '$hour' },
        quota: { $sum: '$quota' },
        count: { $sum: '$requests' },
        prompt: { $sum: '$promptTokens' },
        completion: { $sum: '$completionTokens' },
      },
    },
  ]).option({ maxTimeMS: listTimeoutMs, batchSize: wholeAnswer });
  rows.sort((a, b) => a._id.hour.getTime() - b._id.hour.getTime() || (a._id.model < b._id.model ? -1 : 1));
  return rows.map(({ _id, quota, count, prompt, completion }) => ({
    user_id: userId,
    username: userId === 0 ? '' : username,
    model_name: _id.model,
    created_at: Math.floor(_id.hour.getTime() / 1000),
    token_used: prompt + completion,
    count,
    quota,
  }));
}

/** The hour that a moment lies in: rows carry the begin of theirs. */
function hourOf(seconds: number): Date {
  return new Date(Math.floor(seconds / 3600) * 3_600_000);
}
