import { type LogFilters, type LogStat, logType } from '@tollgate/contracts';
import { UsageByModel, UsageByPart, UsageHourly, UsageLog, usagePartId } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { listTimeoutMs } from '../../http/page.ts';
import { callFilter, type Filter, named, ownScope, type Scope, scopeOf, sharedFilter, shown } from './filter.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export async function stat(filters: LogFilters, nowMs: number): Promise<LogStat> {
  return statOf(filters, await scopeOf(filters), nowMs);
}

export async function ownStat(filters: LogFilters, caller: Caller, nowMs: number): Promise<LogStat> {
  return statOf(filters, ownScope(caller), nowMs);
}

/**
 * The quota of whole hours, or days, comes from the smallest roll-up that tells apart what is asked for; only the parts at the two ends are summed from rows. Roll-ups
 * count every charge, so the ends do, too, hidden rows among them; how busy the last minute was is told from shown rows.
 */
async function statOf(given: LogFilters, scope: Scope, now: number): Promise<LogStat> {
  const filters = await named(given);
  const rollUp = await rollUpFor(sharedFilter(filters, scope), filters.start_timestamp * 1000);
  const parts = split(filters.start_timestamp * 1000, filters.end_timestamp * 1000, { now, periodMs: rollUp.periodMs });
  const [whole, ends, lastMinute] = await Promise.all([
    parts.whole ? rollUp.sum(...parts.whole) : 0,
    Promise.all(
      parts.ends.flatMap(([from, to]) => {
        const calls = callFilter(filters, scope, from, to);
        return [sumRows(calls), sumRows({ ...calls, type: logType.system, refundOf: { $gt: '' } })];
      }),
    ),
    shown(callFilter(filters, scope, now - 60_000, 0)).then(sumRows),
  ]);
  const quota = ends.reduce((sum, end) => sum + end.quota, whole);
  return { quota, rpm: lastMinute.count, tpm: lastMinute.tokens };
}

/**
 * Cuts a span of time (0: open, to the end of this hour) into whole periods, begin inclusive and end exclusive, and what is left at its ends, both
 * inclusive.
 */
export function split(
  startMs: number,
  endMs: number,
  { now, periodMs = hourMs }: { now: number; periodMs?: number },
): { whole: [number, number] | undefined; ends: [number, number][] } {
  const to = endMs > 0 && endMs < now ? endMs + 999 : floor(now, hourMs) + hourMs - 1;
  if (startMs > to) return { whole: undefined, ends: [] };
  const first = Math.ceil(startMs / periodMs) * periodMs;
  const last = floor(to + 1, periodMs);
  if (last <= first && first !== startMs) return { whole: undefined, ends: [[startMs, to]] };
  const ends: [number, number][] = [];
  if (startMs < first) ends.push([startMs, first - 1]);
  if (to >= last) ends.push([last, to]);
  return { whole: last > first ? [first, last] : undefined, ends };
}

interface RollUp {
  periodMs: number;
  /** The quota of whole periods, begin inclusive and end exclusive. */
  sum(fromMs: number, toMs: number): Promise<number>;
}

/** The smallest roll-up that tells apart what the filter does. Groups and channels alone have one whose rows are found by their ids. */
async function rollUpFor(filter: Filter, fromMs: number): Promise<RollUp> {
  const fields = Object.keys(filter).join();
  const byHour = (rollUp: unknown): RollUp => ({
    periodMs: hourMs,
    sum: (from, to) => sumOf(rollUp, { ...filter, hour: within(from, to) }),
  });
  if (fields === '' || fields === 'model') return byHour(UsageByModel);
  const since = fields === 'group' || fields === 'channelId' ? await partsSince(fromMs) : undefined;
  if (since === undefined) return byHour(UsageHourly);
  const periodMs = fields === 'group' ? hourMs : dayMs;
  const idAt = (at: number): string =>
    fields === 'group'
      ? usagePartId.group(new Date(at), String(filter.group))
      : usagePartId.channel(new Date(at), Number(filter.channelId));
  return { periodMs, sum: (from, to) => sumOf(UsageByPart, { _id: { $in: beginsOf(Math.max(from, since), to, periodMs).map(idAt) } }) };
}

/** The day since when groups and channels are told apart; undefined where somebody asks for an earlier one that was counted by models alone. */
async function partsSince(fromMs: number): Promise<number | undefined> {
  const [part, model] = await Promise.all([
    UsageByPart.findOne({ by: 'group' }).sort({ at: 1 }).select('at').lean(),
    UsageByModel.findOne().sort({ hour: 1 }).select('hour').lean(),
  ]);
  if (!part) return undefined;
  const isLate = model !== null && model.hour < part.at && part.at.getTime() > fromMs;
  return isLate ? undefined : floor(part.at.getTime(), dayMs);
}

function beginsOf(fromMs: number, toMs: number, periodMs: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((toMs - fromMs) / periodMs)) }, (_, index) => fromMs + index * periodMs);
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

function floor(ms: number, periodMs: number): number {
  return Math.floor(ms / periodMs) * periodMs;
}
