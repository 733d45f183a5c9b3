import type { UsageDataQuery, UsageDimension } from '@tollgate/contracts';
import { type DearestPart, dearestParts, type ListedPart } from '@tollgate/db';
import { dayLists, type Key, totalsOf, writeDayLists } from './day-lists.ts';
import { dearestOf } from './dearest-of-lists.ts';
import { usedOn } from './usage-of-days.ts';
import { type Counted, inOrder, inSteps, restOf, type Span } from './usage-steps.ts';

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
 * lists of the days; what they used is exact. `now` in unix seconds.
 */
export async function countDearest(
  by: DearestPart,
  span: Span,
  { default_time, top, now }: Pick<UsageDataQuery, 'default_time' | 'top'> & { now: number },
): Promise<DearestCounted> {
  const step = default_time === '' || default_time === 'hour' ? 'day' : default_time;
  const totals = await totalsOf(span);
  const days = await dayLists(by, totals, { now, spareMs });
  const { used, isExact } = await dearestOf(days, top, (at, keys) => usedOn(by, at, keys as number[]) as Promise<Map<Key, Counted>>);
  const told: Counted[] = [];
  for (const [key, ofDays] of used) for (const [at, own] of ofDays) told.push({ key: String(key), at, ...own });
  const all = [...totals].map(([at, own]) => ({ key: '', at, ...own }));
  const shown = inSteps(told, step, span.start);
  const rows = inOrder([...shown, ...restOf(inSteps(all, step, span.start), shown)]);
  return { rows, isAbout: !isExact, unlistedDays: days.unlisted.length };
}

/** Counts the days of a span that are closed and have no list, or one of before. Throws when it is told to stop, between two days. */
export async function writeLists(by: ListedPart, span: Span, how: { now: number; signal: AbortSignal }): Promise<number> {
  return writeDayLists(by, await totalsOf(span), how);
}
