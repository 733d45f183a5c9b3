import { role, type UsageDataQuery, type UsageDataRow } from '@tollgate/contracts';
import { UsageByModel, UsageByPart } from '@tollgate/db';
import type { OptionStore } from '@tollgate/options';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { type Said, said } from '../../http/answer.ts';

import { ownScope, type Scope, scopeOf } from './filter.ts';
import { keptFor } from './kept-answers.ts';
import { type Counted, countUsage, type Span, sourceOf } from './usage-counts.ts';
import { labelsOf } from './usage-labels.ts';

const longestOwnSpanSeconds = 31 * 86_400;
const longestSpanSeconds = 366 * 86_400;
const daySeconds = 86_400;

type Answer = UsageDataRow[] | Said<UsageDataRow[]>;

/**
 * Usage for the dashboard, while `DataExportEnabled` says so. Everybody's by channel, token and user is the sum of more rows than somebody
 * should wait for at every look: it is added up anew every `DataExportInterval` minutes.
 */
export function usageDataOf(options: OptionStore, nowMs: () => number) {
  const kept = keptFor<Counted[]>(() => options.values.DataExportInterval * 60_000);

  async function rowsOf(query: UsageDataQuery, scope: Scope, { longest, username }: { longest: number; username: string }) {
    if (!options.values.DataExportEnabled) throw new AppError('data_export_off');
    const span = spanOf(query, longest, Math.floor(nowMs() / 1000));
    const source = sourceOf(query.by, scope);
    const count = () => countUsage(source, span, query);
    const { by, default_time: step, top } = query;
    const asked = [by, step, top, dayOf(span.start), dayOf(span.end)].join('|');
    const counted = await (source.isLarge ? kept(asked, count) : count());
    const labels = await labelsOf(by, counted);
    const userId = 'userId' in scope ? scope.userId : 0;
    return counted.map(({ key, at, requests, promptTokens, completionTokens, quota }): UsageDataRow => {
      const { label = '', owner } = labels.get(key) ?? {};
      return {
        user_id: userId || (owner?.id ?? 0),
        username: userId ? username : (owner?.username ?? ''),
        model_name: by === 'model' ? key : '',
        key,
        label,
        created_at: at,
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        token_used: promptTokens + completionTokens,
        count: requests,
        quota,
      };
    });
  }

  return {
    async usageData(query: UsageDataQuery): Promise<Answer> {
      const { username } = query;
      const scope = await scopeOf(query);
      const rows = await rowsOf(query, scope, { longest: longestSpanSeconds, username });
      const since = 'everybody' in scope && query.by !== 'model' ? await lateBegin(query) : undefined;
      if (since === undefined) return rows;
      return said(rows, { en: `Counted by ${query.by} since ${since} (UTC)`, zh: `该维度的统计自 ${since}（UTC）开始` });
    },
    /** Which channel answered is the operator's business. */
    async ownUsageData(query: UsageDataQuery, caller: Caller): Promise<UsageDataRow[]> {
      if (query.by === 'channel' && caller.role < role.admin) throw new AppError('insufficient_role');
      return rowsOf(query, ownScope(caller), { longest: longestOwnSpanSeconds, username: caller.username });
    },
  };
}

function spanOf({ start_timestamp, end_timestamp }: UsageDataQuery, longest: number, now: number): Span {
  const end = end_timestamp > 0 ? end_timestamp : now;
  const start = start_timestamp > 0 ? start_timestamp : end - longest;
  if (end - start > longest) throw new AppError('invalid_parameter', { reason: `the span is longer than ${longest / daySeconds} days` });
  return { start, end };
}

/** The day since when usage is told apart by more than models, if it was counted before and somebody asks for an earlier one. */
async function lateBegin({ start_timestamp: start }: UsageDataQuery): Promise<string | undefined> {
  const [part, model] = await Promise.all([
    UsageByPart.findOne({ by: 'group' }).sort({ at: 1 }).select('at').lean(),
    UsageByModel.findOne().sort({ hour: 1 }).select('hour').lean(),
  ]);
  if (!part || !model || model.hour >= part.at || part.at.getTime() <= start * 1000) return undefined;
  return part.at.toISOString().slice(0, 16).replace('T', ' ');
}

function dayOf(seconds: number): number {
  return Math.floor(seconds / daySeconds);
}
