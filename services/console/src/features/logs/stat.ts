import { type LogFilters, type LogStat, logType } from '@tollgate/contracts';
import { UsageByModel, UsageByPart, UsageHourly, UsageLog, type UsagePart, usagePartId } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { listTimeoutMs, shortCountMs, timedOut } from '../../http/page.ts';
import { callFilter, type Filter, named, ownScope, type Scope, scopeOf, sharedFilter, shown } from './filter.ts';
import { modelDays } from './usage-counts.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A user's days are asked for one by one; of more than these his hours are quicker. */
const mostUserDays = 62;

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
  const [startMs, endMs] = [filters.start_timestamp * 1000, filters.end_timestamp * 1000];
  const levels = await levelsFor(sharedFilter(filters, scope), { startMs, endMs, now });
  const to = lastMoment(endMs, now);
  const [sum, refunds, lastMinute] = await Promise.all([
    startMs <= to ? sumBetween(startMs, to, levels, (from, until) => sumCalls(callFilter(filters, scope, from, until))) : nothing,
    startMs <= to ? sumRows(refundsOf(callFilter(filters, scope, startMs, to))) : nothing,
    shown(callFilter(filters, scope, now - 60_000, 0)).then(sumRows),
  ]);
  return { ...sum, given_back: refunds.uncollected - refunds.quota, rpm: lastMinute.count, tpm: lastMinute.tokens };
}

interface Amounts {
  quota: number;
  uncollected: number;
}

const nothing: Amounts = { quota: 0, uncollected: 0 };

function addedUp(sums: Amounts[]): Amounts {
  return sums.reduce((all, { quota, uncollected }) => ({ quota: all.quota + quota, uncollected: all.uncollected + uncollected }), nothing);
}

interface Sum extends Amounts {
  /** Unix seconds: what was used before is not in it. */
  since?: number | undefined;
}

/** Both inclusive, in ms. What the first level leaves at the ends goes to the next one, and in the end to rows. */
async function sumBetween(
  fromMs: number,
  toMs: number,
  levels: Level[],
  ofRows: (from: number, to: number) => Promise<Amounts>,
): Promise<Sum> {
  const [level, ...finer] = levels;
  if (!level) return ofRows(fromMs, toMs);
  const { whole, ends } = cut(fromMs, toMs, level.periodMs);
  const [sum, ...others] = await Promise.all([
    whole ? level.sum(...whole) : nothing,
    ...ends.map(([from, to]) => sumBetween(from, to, finer, ofRows)),
  ]);
  return { ...sum, ...addedUp([sum, ...others]) };
}

/** Calls, and what failed tasks gave back. */
async function sumCalls(calls: Filter): Promise<Amounts> {
  return addedUp(await Promise.all([sumRows(calls), sumRows(refundsOf(calls))]));
}

/** What failed tasks gave back, where calls are filtered so. */
function refundsOf(calls: Filter): Filter {
  return { ...calls, type: logType.system, refundOf: { $gt: '' } };
}

interface Cut {
  whole: [number, number] | undefined;
  ends: [number, number][];
}

/**
 * Cuts a span of time (0: open, to the end of this hour) into whole periods, begin inclusive and end exclusive, and what is left at its ends, both
 * inclusive.
 */
export function split(startMs: number, endMs: number, { now, periodMs = hourMs }: { now: number; periodMs?: number }): Cut {
  const to = lastMoment(endMs, now);
  return startMs > to ? { whole: undefined, ends: [] } : cut(startMs, to, periodMs);
}

function lastMoment(endMs: number, now: number): number {
  return endMs > 0 && endMs < now ? endMs + 999 : floor(now, hourMs) + hourMs - 1;
}

function cut(startMs: number, to: number, periodMs: number): Cut {
  const first = Math.ceil(startMs / periodMs) * periodMs;
  const last = floor(to + 1, periodMs);
  if (last <= first && first !== startMs) return { whole: undefined, ends: [[startMs, to]] };
  const ends: [number, number][] = [];
  if (startMs < first) ends.push([startMs, first - 1]);
  if (to >= last) ends.push([last, to]);
  return { whole: last > first ? [first, last] : undefined, ends };
}

/** A roll-up that tells apart what is asked for. */
interface Level {
  periodMs: number;
  /** Whole periods, begin inclusive and end exclusive. */
  sum(fromMs: number, toMs: number): Promise<Sum>;
}

interface Asked {
  startMs: number;
  endMs: number;
  now: number;
}

/**
 * The smallest roll-ups that tell apart what the filter does, the longest periods first. Groups, channels and names of tokens alone have one whose rows are
 * found by their ids, a user has one whose rows stand together, models have lists of days; of everything, groups are the fewest.
 */
async function levelsFor(filter: Filter, { startMs, endMs, now }: Asked): Promise<Level[]> {
  const fields = Object.keys(filter).join();
  const byHour = (rollUp: unknown): Level => ({
    periodMs: hourMs,
    sum: (from, to) => sumOf(rollUp, { ...filter, hour: within(from, to) }),
  });
  if (fields === 'tokenName') return [{ periodMs: dayMs, sum: (from, to) => sumOfName(String(filter.tokenName), from, to) }];
  const since = ['', 'group', 'channelId', 'userId', 'model'].includes(fields) ? await partsSince(startMs) : undefined;
  if (fields === 'model') {
    const days = { periodMs: dayMs, sum: (from: number, to: number) => sumOfModels(filter, { from: Math.max(from, since ?? 0), to, now }) };
    return since === undefined ? [byHour(UsageByModel)] : [days, byHour(UsageByModel)];
  }
  if (since === undefined) return [byHour(fields === '' ? UsageByModel : UsageHourly)];
  if (fields === '') return [{ periodMs: hourMs, sum: (from, to) => sumOf(UsageByPart, { by: 'group', at: within(from, to) }) }];
  const begin = (from: number): number => Math.max(from, since);
  if (fields === 'userId') {
    const isShort = (endMs || now) - begin(startMs) <= mostUserDays * dayMs;
    const days = { periodMs: dayMs, sum: (from: number, to: number) => sumOfUser(Number(filter.userId), begin(from), to) };
    return isShort ? [days, byHour(UsageHourly)] : [byHour(UsageHourly)];
  }
  const periodMs = fields === 'group' ? hourMs : dayMs;
  const idAt = (at: number): string =>
    fields === 'group'
      ? usagePartId.group(new Date(at), String(filter.group))
      : usagePartId.channel(new Date(at), Number(filter.channelId));
  const sumOfIds = (ids: string[]): Promise<Amounts> => sumOf(UsageByPart, { _id: { $in: ids } });
  return [{ periodMs, sum: (from, to) => sumOfIds(beginsOf(begin(from), to, periodMs).map(idAt)) }];
}

/** A user's tokens stand together in each day: some pages of a disk, where his hours are scattered over hundreds. */
async function sumOfUser(userId: number, fromMs: number, toMs: number): Promise<Sum> {
  const days = beginsOf(fromMs, toMs, dayMs).map((at) => {
    const low = usagePartId.token(new Date(at), userId, 0).slice(0, -1);
    return sumOf(UsageByPart, { _id: { $gte: low, $lt: `${low.slice(0, -1)}}` } }); // } is next to |
  });
  return addedUp(await Promise.all(days));
}

async function sumOfModels({ model }: Filter, { from, to, now }: { from: number; to: number; now: number }): Promise<Sum> {
  if (to <= from) return nothing;
  const names = new Set(typeof model === 'string' ? [model] : (model as { $in: string[] }).$in);
  const rows = await modelDays({ start: from / 1000, end: to / 1000 - 1 }, { now: Math.floor(now / 1000), where: { model } });
  return addedUp(rows.filter(({ key }) => names.has(key)));
}

/** The day since when groups and channels are told apart; undefined where somebody asks for an earlier one that was counted by models alone. */
async function partsSince(fromMs: number): Promise<number | undefined> {
  const begun = await countedSince('group');
  if (begun === undefined || (begun.isLate && begun.atMs >= fromMs)) return undefined;
  return floor(begun.atMs, dayMs);
}

/**
 * Days before names were counted, that day among them, come from the users' own hours, which are too many to look through where a site is large: then
 * the sum says since when it counts.
 */
async function sumOfName(tokenName: string, fromMs: number, toMs: number): Promise<Sum> {
  const begun = await countedSince('tokenName');
  const since = begun ? begun.atMs + (begun.isLate ? dayMs : 0) : toMs;
  const idAt = (at: number): string => usagePartId.tokenName(new Date(at), tokenName);
  const days = beginsOf(Math.max(fromMs, since), toMs, dayMs).map(idAt);
  const hours = { tokenName, hour: within(fromMs, Math.min(since, toMs)) };
  const [before, after] = await Promise.all([
    fromMs < since ? sumOf(UsageHourly, hours, shortCountMs).catch(undefinedInTime) : nothing,
    days.length > 0 ? sumOf(UsageByPart, { _id: { $in: days } }) : nothing,
  ]);
  return before === undefined ? { ...after, since: Math.min(since, toMs) / 1000 } : addedUp([before, after]);
}

function undefinedInTime(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== timedOut) throw error;
}

function beginsOf(fromMs: number, toMs: number, periodMs: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((toMs - fromMs) / periodMs)) }, (_, index) => fromMs + index * periodMs);
}

function within(fromMs: number, toMs: number): Filter {
  return { $gte: new Date(fromMs), $lt: new Date(toMs) };
}

async function sumOf(rollUp: unknown, filter: Filter, maxTimeMS = listTimeoutMs): Promise<Amounts> {
  const [sum] = await (rollUp as Pick<typeof UsageHourly, 'aggregate'>)
    .aggregate<Amounts>([{ $match: filter }, { $group: { _id: null, quota: { $sum: '$quota' }, uncollected: { $sum: '$uncollected' } } }])
    .option({ maxTimeMS });
  return { quota: sum?.quota ?? 0, uncollected: sum?.uncollected ?? 0 };
}

async function sumRows(filter: Filter): Promise<Amounts & { count: number; tokens: number }> {
  const [sum] = await UsageLog.aggregate<Amounts & { count: number; prompt: number; completion: number }>([
    { $match: filter },
    {
      $group: {
        _id: null,
        quota: { $sum: '$quota' },
        uncollected: { $sum: '$uncollected' },
        count: { $sum: 1 },
        prompt: { $sum: '$promptTokens' },
        completion: { $sum: '$completionTokens' },
      },
    },
  ]).option({ maxTimeMS: listTimeoutMs });
  const { quota = 0, uncollected = 0, count = 0, prompt = 0, completion = 0 } = sum ?? {};
  return { quota, uncollected, count, tokens: prompt + completion };
}

function floor(ms: number, periodMs: number): number {
  return Math.floor(ms / periodMs) * periodMs;
}

/** When everybody's usage was first counted by a part; undefined: it never was. `isLate`: calls before that were counted by models alone. */
export async function countedSince(by: UsagePart): Promise<{ atMs: number; isLate: boolean } | undefined> {
  const [part, model] = await Promise.all([
    UsageByPart.findOne({ by }).sort({ at: 1 }).select('at').lean(),
    UsageByModel.findOne().sort({ hour: 1 }).select('hour').lean(),
  ]);
  return part ? { atMs: part.at.getTime(), isLate: model !== null && model.hour < part.at } : undefined;
}
