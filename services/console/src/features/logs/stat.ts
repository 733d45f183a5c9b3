import { type LogFilters, type LogStat, logType } from '@tollgate/contracts';
import { UsageByModel, UsageByPart, UsageHourly, UsageLog, usagePartId } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { listTimeoutMs } from '../../http/page.ts';
import { callFilter, type Filter, named, ownScope, type Scope, scopeOf, sharedFilter, shown } from './filter.ts';

const hourMs = 3_600_000;

export async function stat(filters: LogFilters, nowMs: number): Promise<LogStat> {
  return statOf(filters, await scopeOf(filters), nowMs);
}

export async function ownStat(filters: LogFilters, caller: Caller, nowMs: number): Promise<LogStat> {
  return statOf(filters, ownScope(caller), nowMs);
}

/**
 * The quota of whole hours comes from the smallest roll-up; only the parts of hours at the two ends are summed from rows. Roll-ups count
 * every charge, so the ends do, too, hidden rows among them; how busy the last minute was is told from shown rows.
 */
async function statOf(given: LogFilters, scope: Scope, now: number): Promise<LogStat> {
  const filters = await named(given);
  const parts = split(filters.start_timestamp * 1000, filters.end_timestamp * 1000, now);
  const sumHours = await rollUpFor(sharedFilter(filters, scope), parts.hours?.[0] ?? 0);
  const [hours, ends, lastMinute] = await Promise.all([
    parts.hours ? sumHours(...parts.hours) : 0,
    Promise.all(
      parts.ends.flatMap(([from, to]) => {
        const calls = callFilter(filters, scope, from, to);
        return [sumRows(calls), sumRows({ ...calls, type: logType.system, refundOf: { $gt: '' } })];
      }),
    ),
    shown(callFilter(filters, scope, now - 60_000, 0)).then(sumRows),
  ]);
  const quota = ends.reduce((sum, end) => sum + end.quota, hours);
  return { quota, rpm: lastMinute.count, tpm: lastMinute.tokens };
}

/** Cuts a span of time (0: open) into whole hours, begin inclusive and end exclusive, and what is left at its ends, both inclusive. */
export function split(startMs: number, endMs: number, now: number): { hours: [number, number] | undefined; ends: [number, number][] } {
  const to = endMs > 0 && endMs < now ? endMs + 999 : floorHour(now) + hourMs - 1;
  if (startMs > to) return { hours: undefined, ends: [] };
  const firstHour = Math.ceil(startMs / hourMs) * hourMs;
  const lastHour = floorHour(to + 1);
  if (lastHour <= firstHour && firstHour !== startMs) return { hours: undefined, ends: [[startMs, to]] };
  const ends: [number, number][] = [];
  if (startMs < firstHour) ends.push([startMs, firstHour - 1]);
  if (to >= lastHour) ends.push([lastHour, to]);
  return { hours: lastHour > firstHour ? [firstHour, lastHour] : undefined, ends };
}

/** The smallest roll-up that tells apart what the filter does. */
async function rollUpFor(filter: Filter, fromMs: number): Promise<(fromMs: number, toMs: number) => Promise<number>> {
  const fields = Object.keys(filter).join();
  if (fields === '' || fields === 'model') return (from, to) => sumOf(UsageByModel, { ...filter, hour: within(from, to) });
  const since = fields === 'group' ? await groupsSince(fromMs) : undefined;
  if (since === undefined) return (from, to) => sumOf(UsageHourly, { ...filter, hour: within(from, to) });
  const idAt = (at: number): string => usagePartId.group(new Date(at), String(filter.group));
  return (from, to) => sumOf(UsageByPart, { _id: { $in: hoursOf(Math.max(from, since), to).map(idAt) } });
}

/** The first moment that is told apart by groups; undefined where somebody asks for an earlier one that was counted by models alone. */
async function groupsSince(fromMs: number): Promise<number | undefined> {
  const [part, model] = await Promise.all([
    UsageByPart.findOne({ by: 'group' }).sort({ at: 1 }).select('at').lean(),
    UsageByModel.findOne().sort({ hour: 1 }).select('hour').lean(),
  ]);
  if (!part) return undefined;
  const isLate = model !== null && model.hour < part.at && part.at.getTime() > fromMs;
  return isLate ? undefined : part.at.getTime();
}

function hoursOf(fromMs: number, toMs: number): number[] {
  const first = floorHour(fromMs);
  return Array.from({ length: Math.max(0, Math.ceil((toMs - first) / hourMs)) }, (_, index) => first + index * hourMs);
}

function within(fromMs: number, toMs: number): Filter {
  return { $gte: new Date(fromMs), $lt: new Date(toMs) };
}

async function sumOf(rollUp: unknown, filter: Filter): Promise<number> {
  const [sum] = await (rollUp as Pick<typeof UsageHourly, 'aggregate'>)
    .aggregate<{ quota: number }>([{ $match: filter }, { $group: { _id: null, quota: { $sum: '$quota' } } }])
    .option({ maxTimeMS: listTimeoutMs });
  return sum?.quota ?? 0;
}

async function sumRows(filter: Filter): Promise<{ quota: number; count: number; tokens: number }> {
  const [sum] = await UsageLog.aggregate<{ quota: number; count: number; prompt: number; completion: number }>([
    { $match: filter },
    {
      $group: {
        _id: null,
        quota: { $sum: '$quota' },
        count: { $sum: 1 },
        prompt: { $sum: '$promptTokens' },
        completion: { $sum: '$completionTokens' },
      },
    },
  ]).option({ maxTimeMS: listTimeoutMs });
  return sum ? { quota: sum.quota, count: sum.count, tokens: sum.prompt + sum.completion } : { quota: 0, count: 0, tokens: 0 };
}

function floorHour(ms: number): number {
  return Math.floor(ms / hourMs) * hourMs;
}
