import type { UsageDataQuery, UsageDataRow } from '@tollgate/contracts';
import { UsageByModel, type UsageByModelDoc, UsageHourly } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { listTimeoutMs } from '../../http/page.ts';
import { ownScope, type Scope, scopeOf } from './filter.ts';

const longestOwnSpanSeconds = 31 * 86_400;
const longestSpanSeconds = 366 * 86_400;
/** So many rows come at once, without a second round trip. */
const wholeAnswer = 100_000;

/** Usage by model and hour, of everybody or of the named user. */
export async function usageData(query: UsageDataQuery, nowMs: number): Promise<UsageDataRow[]> {
  return rowsOf(query, await scopeOf(query), { longest: longestSpanSeconds, username: query.username, nowMs });
}

export async function ownUsageData(query: UsageDataQuery, caller: Caller, nowMs: number): Promise<UsageDataRow[]> {
  return rowsOf(query, ownScope(caller), { longest: longestOwnSpanSeconds, username: caller.username, nowMs });
}

async function rowsOf(
  query: UsageDataQuery,
  scope: Scope,
  { longest, username, nowMs }: { longest: number; username: string; nowMs: number },
): Promise<UsageDataRow[]> {
  const end = query.end_timestamp > 0 ? query.end_timestamp : Math.floor(nowMs / 1000);
  const start = query.start_timestamp > 0 ? query.start_timestamp : end - longest;
  if (end - start > longest) throw new AppError('invalid_parameter', { reason: `the span is longer than ${longest / 86_400} days` });
  const userId = 'userId' in scope ? scope.userId : 0;
  const hour = { $gte: hourOf(start), $lte: new Date(end * 1000) };
  const parts = userId === 0 ? await everybodys(hour) : await usersOwn({ userId, hour });
  parts.sort((a, b) => a.hour.getTime() - b.hour.getTime() || (a.model < b.model ? -1 : 1));
  return parts.map(({ hour: at, model, requests, promptTokens, completionTokens, quota }) => ({
    user_id: userId,
    username: userId === 0 ? '' : username,
    model_name: model,
    created_at: Math.floor(at.getTime() / 1000),
    token_used: promptTokens + completionTokens,
    count: requests,
    quota,
  }));
}

type ModelHour = Pick<UsageByModelDoc, 'hour' | 'model' | 'requests' | 'promptTokens' | 'completionTokens' | 'quota'>;

/** From a roll-up of its own: that of all users has too many rows to be added up while somebody waits. */
async function everybodys(hour: object): Promise<ModelHour[]> {
  return UsageByModel.find({ hour })
    .select('-_id hour model requests promptTokens completionTokens quota')
    .batchSize(wholeAnswer)
    .maxTimeMS(listTimeoutMs)
    .lean();
}

async function usersOwn(filter: { userId: number; hour: object }): Promise<ModelHour[]> {
  const sums = Object.fromEntries(['requests', 'promptTokens', 'completionTokens', 'quota'].map((field) => [field, { $sum: `$${field}` }]));
  const groups = await UsageHourly.aggregate<ModelHour & { _id: Pick<ModelHour, 'model' | 'hour'> }>([
    { $match: filter },
    { $group: { _id: { model: '$model', hour: '$hour' }, ...sums } },
  ]).option({ maxTimeMS: listTimeoutMs, batchSize: wholeAnswer });
  return groups.map(({ _id, ...rest }) => ({ ...rest, ..._id }));
}

/** The hour that a moment lies in: rows carry the begin of theirs. */
function hourOf(seconds: number): Date {
  return new Date(Math.floor(seconds / 3600) * 3_600_000);
}
