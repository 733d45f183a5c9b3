import type { UsageDimension } from '@tollgate/contracts';
import {
  type DearestPart,
  dearestParts,
  type ListedPart,
  Token,
  UsageByPart,
  UsageHourly,
  type UsageSums,
  usagePartId,
} from '@tollgate/db';
import { listTimeoutMs } from '../../http/page.ts';
import { dayLists, type Key, totalsOf, writeDayLists } from './day-lists.ts';
import { dearestOf } from './dearest-of-lists.ts';
import type { Filter } from './filter.ts';
import { type Counted, inOrder, inSteps, restOf, type Span, type Steps, sums } from './usage-steps.ts';

const dayMs = 24 * 3_600_000;

/** What these channels, tokens or users used on one day (its begin in unix seconds), found by their own rows. */
export async function usedOn(by: DearestPart, at: number, keys: number[]): Promise<Map<number, UsageSums>> {
  const begin = new Date(at * 1000);
  if (by === 'user')
    return added(UsageHourly, { userId: { $in: keys }, hour: { $gte: begin, $lt: new Date(at * 1000 + dayMs) } }, 'userId');
  if (by === 'channel') return added(UsageByPart, { _id: { $in: keys.map((key) => usagePartId.channel(begin, key)) } }, 'channelId');
  const tokens = await Token.find({ id: { $in: keys } })
    .select('id userId')
    .lean();
  const ids = tokens.map(({ id, userId }) => usagePartId.token(begin, userId, id));
  // What no token is there for: the playground of many users, and tokens that are gone.
  const owned = new Set(tokens.map(({ id }) => id));
  const others = keys.filter((key) => !owned.has(key));
  const found = await added(UsageByPart, { _id: { $in: ids } }, 'tokenId');
  if (others.length === 0) return found;
  return new Map([...found, ...(await added(UsageByPart, { by: 'token', at: begin, tokenId: { $in: others } }, 'tokenId'))]);
}

async function added(rollUp: unknown, where: Filter, field: string): Promise<Map<number, UsageSums>> {
  const found = await (rollUp as Pick<typeof UsageHourly, 'aggregate'>)
    .aggregate<UsageSums & { _id: number }>([{ $match: where }, { $group: { _id: `$${field}`, ...sums } }])
    .option({ maxTimeMS: listTimeoutMs });
  return new Map(found.map(({ _id, ...used }) => [_id, used]));
}

/** How long a look may count days that have no list yet; the job `list-dearest` does the others. */
const spareMs = 2000;

export interface DearestCounted {
  rows: Counted[];
  /** Others, that are not shown, may have cost as much as some of those that are. */
  isAbout: boolean;
  /** So many days have no list yet: what the others show was used on them is exact, but nobody is shown for their sake. */
  unlistedDays: number;
}

export function isLarge(by: UsageDimension): by is DearestPart {
  return dearestParts.some((part) => part === by);
}

/**
 * Everybody's usage of the channels, tokens or users that cost the most, and of all others together. Who they are is told by the
 * lists of the days of UTC; what they used is exact. `now` in unix seconds.
 */
export async function countDearest(
  by: DearestPart,
  span: Span,
  { steps, top, now }: { steps: Steps; top: number; now: number },
): Promise<DearestCounted> {
  const totals = await totalsOf(span);
  const days = await dayLists(by, totals, { now, spareMs });
  const { used, isExact } = await dearestOf(days, top, (at, keys) => usedOn(by, at, keys as number[]) as Promise<Map<Key, Counted>>);
  const told: Counted[] = [];
  for (const [key, ofDays] of used) for (const [at, own] of ofDays) told.push({ key: String(key), at, ...own });
  const all = [...totals].map(([at, own]) => ({ key: '', at, ...own }));
  const shown = inSteps(told, steps);
  const rows = inOrder([...shown, ...restOf(inSteps(all, steps), shown)]);
  return { rows, isAbout: !isExact, unlistedDays: days.unlisted.length };
}

/** Counts the days of a span that are closed and have no list, or one of before. Throws when it is told to stop, between two days. */
export async function writeLists(by: ListedPart, span: Span, how: { now: number; signal: AbortSignal }): Promise<number> {
  return writeDayLists(by, await totalsOf(span), how);
}
