import { stepBegins } from '@tollgate/contracts';
import {
  type DearestPart,
  type ListedPart,
  UsageByModel,
  UsageByPart,
  UsageDearest,
  type UsageDearestRow,
  type UsageSums,
} from '@tollgate/db';
import { listTimeoutMs } from '../../http/page.ts';
import { add, countedFields, daySeconds, inSteps, type Span, stepsOf, sums, utc } from './usage-steps.ts';

/** So many channels, tokens or users of a day are written down: those beyond have little part in what a month's dearest cost. Of models all are. */
const mostOfDay = 500;
const mostModels = 5000;
/** By then nobody charges calls of the day before, but for what was long away. */
const closedAfter = 3600;

export type Key = number | string;

/** The keys of one day that cost the most, the dearest first. */
export interface DayList {
  /** Unix seconds; `end` is exclusive. */
  at: number;
  end: number;
  size: number;
  keyAt(place: number): Key;
  quotaAt(place: number): number;
  usedAt(place: number): UsageSums;
  /** Nobody else used anything. */
  isWhole: boolean;
  /** What a key that is not listed can have cost at most. */
  beyond: number;
}

/**
 * The lists of these days. Those that are missing or of before are counted, days that are not over in any case, the others, the fullest first, for as long as
 * there is time; `unlisted` are what is left. `now` in unix seconds.
 */
export async function dayLists(
  by: ListedPart,
  totals: Map<number, UsageSums>,
  { now, spareMs, zone = utc }: { now: number; spareMs: number; zone?: string },
): Promise<{ lists: DayList[]; unlisted: number[] }> {
  const until = performance.now() + spareMs;
  const days = daysWith(totals, zone);
  const known = await knownLists(by, days);
  const lists: DayList[] = [];
  const missing: DayWithTotal[] = [];
  for (const day of days) {
    const row = known.get(day.at);
    if (row && isSame(row, day.total)) lists.push(listOf(by, row, day.end));
    else missing.push(day);
  }
  const closedLast = missing.sort(
    (a, b) => Number(isClosed(a, now)) - Number(isClosed(b, now)) || b.total.requests - a.total.requests || a.at - b.at,
  );
  const unlisted: number[] = [];
  for (const [place, day] of closedLast.entries()) {
    if (place > 0 && isClosed(day, now) && performance.now() > until) unlisted.push(day.at);
    else lists.push(await countDay(by, day, now));
  }
  return { lists: lists.sort((a, b) => a.at - b.at), unlisted };
}

/** Counts the days that are closed and have no list, or one of before; returns how many. Throws when it is told to stop, between two days. */
export async function writeDayLists(
  by: ListedPart,
  totals: Map<number, UsageSums>,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<number> {
  const days = daysWith(totals, utc);
  const known = await knownLists(by, days);
  let written = 0;
  for (const day of days) {
    signal.throwIfAborted();
    const row = known.get(day.at);
    if ((row && isSame(row, day.total)) || !isClosed(day, now)) continue;
    await countDay(by, day, now);
    written++;
  }
  return written;
}

/** What everybody used on each day of a span, ends included: groups are the fewest rows that tell it. */
export async function totalsOf(span: Span, zone: string = utc): Promise<Map<number, UsageSums>> {
  const days = daysIn(span, zone);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return new Map();
  const within = { $gte: dateOf(first.at), $lt: dateOf(last.end) };
  const hours = await UsageByPart.aggregate<UsageSums & { _id: Date }>([
    { $match: { by: 'group', at: within } },
    { $group: { _id: '$at', ...sums } },
  ]).option({ maxTimeMS: listTimeoutMs, batchSize: 10_000 });
  const rows = hours.map(({ _id, ...used }) => ({ key: '', at: _id.getTime() / 1000, ...used }));
  return new Map(inSteps(rows, stepsOf('day', { start: first.at, end: last.end - 1 }, zone)).map(({ key: _, at, ...used }) => [at, used]));
}

/** A day of some time zone, unix seconds; `end` is exclusive. */
interface Day {
  at: number;
  end: number;
}

type DayWithTotal = Day & { total: UsageSums };

/** The days of a time zone that a span touches. */
export function daysIn({ start, end }: Span, zone: string): Day[] {
  const begins = stepBegins({ start, end: end + 2 * daySeconds }, 'day', zone);
  return begins.flatMap((at, place) => (at <= end ? [{ at, end: begins[place + 1] ?? at + daySeconds }] : []));
}

function daysWith(totals: Map<number, UsageSums>, zone: string): DayWithTotal[] {
  const begins = [...totals.keys()];
  if (begins.length === 0) return [];
  const ends = new Map(daysIn({ start: Math.min(...begins), end: Math.max(...begins) }, zone).map(({ at, end }) => [at, end]));
  return [...totals].map(([at, total]) => ({ at, end: ends.get(at) ?? at + daySeconds, total }));
}

async function knownLists(by: ListedPart, days: Day[]): Promise<Map<number, UsageDearestRow>> {
  const rows = await UsageDearest.find({ _id: { $in: days.map((day) => idOf(by, day)) } })
    .batchSize(1000)
    .lean();
  return new Map(
    rows.map((row) => [row.at.getTime() / 1000, { ...row, keys: Buffer.from((row.keys as unknown as { buffer: Uint8Array }).buffer) }]),
  );
}

/** The day's list; that of a day that is over is written down. */
async function countDay(by: ListedPart, day: DayWithTotal, now: number): Promise<DayList> {
  const { at, end, total } = day;
  const found = await (by === 'model' ? modelsOf(day) : partsOf(by, at));
  const numbers = found.flatMap((one, place) => [
    typeof one._id === 'number' ? one._id : place,
    ...countedFields.map((field) => one[field]),
  ]);
  const names = by === 'model' ? { names: found.map(({ _id }) => String(_id)) } : {};
  const row = { at: dateOf(at), ...total, keys: Buffer.from(Float64Array.from(numbers).buffer), ...names };
  if (isClosed(day, now)) await UsageDearest.updateOne({ _id: idOf(by, day) }, { $set: row }, { upsert: true });
  return listOf(by, row, end);
}

type Used = UsageSums & { _id: Key };

async function partsOf(by: DearestPart, at: number): Promise<Used[]> {
  return UsageByPart.aggregate<Used>([
    { $match: { by: by === 'user' ? 'token' : by, at: dateOf(at) } },
    { $group: { _id: `$${by}Id`, ...sums } },
    { $sort: { quota: -1, _id: 1 } },
    { $limit: mostOfDay },
  ]).option({ maxTimeMS: listTimeoutMs });
}

async function modelsOf({ at, end }: Day): Promise<Used[]> {
  return UsageByModel.aggregate<Used>([
    { $match: { hour: { $gte: dateOf(at), $lt: dateOf(end) } } },
    { $group: { _id: '$model', ...sums } },
    { $sort: { quota: -1, _id: 1 } },
    { $limit: mostModels },
  ]).option({ maxTimeMS: listTimeoutMs, batchSize: mostModels });
}

const width = 1 + countedFields.length;

function listOf(by: ListedPart, { at, keys, names }: Pick<UsageDearestRow, 'at' | 'keys' | 'names'>, end: number): DayList {
  const numbers = new Float64Array(Uint8Array.from(keys).buffer);
  const size = numbers.length / width;
  const numberAt = (place: number, field: number): number => numbers[place * width + field] ?? 0;
  const isWhole = size < (by === 'model' ? mostModels : mostOfDay);
  return {
    at: at.getTime() / 1000,
    end,
    size,
    keyAt: (place) => names?.[place] ?? numberAt(place, 0),
    quotaAt: (place) => numberAt(place, 4),
    usedAt: (place) => ({
      requests: numberAt(place, 1),
      promptTokens: numberAt(place, 2),
      completionTokens: numberAt(place, 3),
      quota: numberAt(place, 4),
      uncollected: numberAt(place, 5),
    }),
    isWhole,
    beyond: isWhole ? 0 : Math.max(0, numberAt(size - 1, 4)), // who used nothing that day cost more than one who got back something
  };
}

function isSame(one: UsageSums, other: UsageSums): boolean {
  const left = { ...other };
  add(left, one, -1);
  return countedFields.every((field) => left[field] === 0);
}

function isClosed({ end }: Day, now: number): boolean {
  return end + closedAfter <= now;
}

function idOf(by: ListedPart, { at, end }: Day): string {
  return at % daySeconds === 0 && end - at === daySeconds ? `${by}|${at / daySeconds}` : `${by}|${at}-${end}`;
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}
