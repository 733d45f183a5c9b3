import { type BudgetWindow, calendarPeriod, neverMs, rollingWindows } from '@tollgate/contracts';

/** When usage of now leaves the window, in ms since 1970. */
export function windowEnd(window: BudgetWindow, timeZone: string, nowMs: number): number {
  return bucketAt(window, timeZone, nowMs).until;
}

/** The bucket that usage of a time counts in: its start, and when it leaves the window, in ms since 1970. */
export function bucketAt(window: BudgetWindow, timeZone: string, nowMs: number): { from: number; until: number } {
  if (window === 'total') return { from: 0, until: neverMs };
  if (window === 'day' || window === 'week' || window === 'month') {
    const { startMs, endMs } = calendarPeriod(window, timeZone, nowMs);
    return { from: startMs, until: endMs };
  }
  const { lengthMs, bucketMs } = rollingWindows[window];
  const from = nowMs - (nowMs % bucketMs);
  return { from, until: from + bucketMs + lengthMs };
}
