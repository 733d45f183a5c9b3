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
import { add, inSteps, sums } from './usage-steps.ts';

const day = 24 * 3600;
/** So many channels, tokens or users of a day are written down: those beyond have little part in what a month's dearest cost. Of models all are. */
const mostOfDay = 500;
const mostModels = 5000;
/** By then nobody charges calls of the day before, but for what was long away. */
const closedAfter = 3600;

export type Key = number | string;

/** The keys of one day that cost the most, the dearest first. */
export interface DayList {
  /** Unix seconds. */
  at: number;
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
  { now, spareMs }: { now: number; spareMs: number },
): Promise<{ lists: DayList[]; unlisted: number[] }> {
  const until = performance.now() + spareMs;
  const known = await knownLists(by, [...totals.keys()]);
  const lists: DayList[] = [];
  const missing: { at: number; total: UsageSums }[] = [];
  for (const [at, total] of totals) {
    const row = known.get(at);
    if (row && isSame(row, total)) lists.push(listOf(by, row));
    else missing.push({ at, total });
  }
  const closedLast = missing.sort(
    (a, b) => Number(isClosed(a.at, now)) - Number(isClosed(b.at, now)) || b.total.requests - a.total.requests || a.at - b.at,
  );
  const unlisted: number[] = [];
  for (const [place, { at, total }] of closedLast.entries()) {
    if (place > 0 && isClosed(at, now) && performance.now() > until) unlisted.push(at);
    else lists.push(await countDay(by, at, { total, now }));
  }
  return { lists: lists.sort((a, b) => a.at - b.at), unlisted };
}

/** Counts the days that are closed and have no list, or one of before; returns how many. Throws when it is told to stop, between two days. */
export async function writeDayLists(
  by: ListedPart,
  totals: Map<number, UsageSums>,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<number> {
  const known = await knownLists(by, [...totals.keys()]);
  let written = 0;
  for (const [at, total] of totals) {
    signal.throwIfAborted();
    const row = known.get(at);
    if ((row && isSame(row, total)) || !isClosed(at, now)) continue;
    await countDay(by, at, { total, now });
    written++;
  }
  return written;
}

/** What everybody used on each day of a span, ends included: groups are the fewest rows that tell it. */
export async function totalsOf({ start, end }: { start: number; end: number }): Promise<Map<number, UsageSums>> {
  const within = { $gte: dateOf(Math.floor(start / day) * day), $lt: dateOf(Math.floor(end / day) * day + day) };
  const hours = await UsageByPart.aggregate<UsageSums & { _id: Date }>([
    { $match: { by: 'group', at: within } },
    { $group: { _id: '$at', ...sums } },
  ]).option({ maxTimeMS: listTimeoutMs, batchSize: 10_000 });
  const rows = hours.map(({ _id, ...used }) => ({ key: '', at: _id.getTime() / 1000, ...used }));
  return new Map(inSteps(rows, 'day', start).map(({ key: _, at, ...used }) => [at, used]));
}

async function knownLists(by: ListedPart, days: number[]): Promise<Map<number, UsageDearestRow>> {
  const rows = await UsageDearest.find({ _id: { $in: days.map((at) => idOf(by, at)) } })
    .batchSize(1000)
    .lean();
  return new Map(
    rows.map((row) => [row.at.getTime() / 1000, { ...row, keys: Buffer.from((row.keys as unknown as { buffer: Uint8Array }).buffer) }]),
  );
}

/** The day's list; that of a day that is over is written down. */
async function countDay(by: ListedPart, at: number, { total, now }: { total: UsageSums; now: number }): Promise<DayList> {
  const found = await (by === 'model' ? modelsOf(at) : partsOf(by, at));
  const numbers = found.flatMap(({ _id, requests, promptTokens, completionTokens, quota }, place) => [
    ...[typeof _id === 'number' ? _id : place],
    ...[requests, promptTokens, completionTokens, quota],
  ]);
  const names = by === 'model' ? { names: found.map(({ _id }) => String(_id)) } : {};
  const row = { at: dateOf(at), ...total, keys: Buffer.from(Float64Array.from(numbers).buffer), ...names };
  if (isClosed(at, now)) await UsageDearest.updateOne({ _id: idOf(by, at) }, { $set: row }, { upsert: true });
  return listOf(by, row);
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

async function modelsOf(at: number): Promise<Used[]> {
  return UsageByModel.aggregate<Used>([
    { $match: { hour: { $gte: dateOf(at), $lt: dateOf(at + day) } } },
    { $group: { _id: '$model', ...sums } },
    { $sort: { quota: -1, _id: 1 } },
    { $limit: mostModels },
  ]).option({ maxTimeMS: listTimeoutMs, batchSize: mostModels });
}

function listOf(by: ListedPart, { at, keys, names }: Pick<UsageDearestRow, 'at' | 'keys' | 'names'>): DayList {
  const numbers = new Float64Array(Uint8Array.from(keys).buffer);
  const size = numbers.length / 5;
  const numberAt = (place: number, field: number): number => numbers[place * 5 + field] ?? 0;
  const isWhole = size < (by === 'model' ? mostModels : mostOfDay);
  return {
    at: at.getTime() / 1000,
    size,
    keyAt: (place) => names?.[place] ?? numberAt(place, 0),
    quotaAt: (place) => numberAt(place, 4),
    usedAt: (place) => ({
      requests: numberAt(place, 1),
      promptTokens: numberAt(place, 2),
      completionTokens: numberAt(place, 3),
      quota: numberAt(place, 4),
    }),
    isWhole,
    beyond: isWhole ? 0 : Math.max(0, numberAt(size - 1, 4)), // who used nothing that day cost more than one who got back something
  };
}

function isSame(one: UsageSums, other: UsageSums): boolean {
  const left = { ...other };
  add(left, one, -1);
  return left.requests === 0 && left.promptTokens === 0 && left.completionTokens === 0 && left.quota === 0;
}

function isClosed(at: number, now: number): boolean {
  return at + day + closedAfter <= now;
}

function idOf(by: ListedPart, at: number): string {
  return `${by}|${at / day}`;
}

function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}
