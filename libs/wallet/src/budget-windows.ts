import { type BudgetWindow, type CalendarWindow, neverMs, rollingWindows } from '@tollgate/contracts';

/** The current window of a calendar and the end of the next one, in ms since 1970. */
export interface CalendarPeriod {
  startMs: number;
  endMs: number;
  nextEndMs: number;
}

const dayMs = 86_400_000;
const halfHourMs = 1_800_000;
const formats = new Map<string, Intl.DateTimeFormat>();
const periods = new Map<string, CalendarPeriod>();
const mostKnown = 1_000;

/**
 * The calendar day, week (from Monday) or month of a time zone around a time. Throws RangeError for an unknown zone. A day begins with its
 * first instant, also where clocks change at midnight.
 */
export function calendarPeriod(window: CalendarWindow, timeZone: string, nowMs: number): CalendarPeriod {
  const name = `${window} ${timeZone}`;
  const known = periods.get(name);
  if (known !== undefined && nowMs >= known.startMs && nowMs < known.endMs) return known;
  const start = beginOf(window, localDay(nowMs, timeZone));
  const end = after(window, start);
  const period = {
    startMs: instantOf(start, timeZone),
    endMs: instantOf(end, timeZone),
    nextEndMs: instantOf(after(window, end), timeZone),
  };
  if (periods.size >= mostKnown) periods.clear();
  periods.set(name, period);
  return period;
}

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

/** A local day as the number of days since 1970-01-01. */
function localDay(ms: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', numberingSystem: 'latn', ...parts });
    if (formats.size >= mostKnown) formats.clear();
    formats.set(timeZone, format);
  }
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year ?? 1970, (part.month ?? 1) - 1, part.day) / dayMs;
}

function beginOf(window: CalendarWindow, day: number): number {
  if (window === 'day') return day;
  if (window === 'week') return day - ((((day + 3) % 7) + 7) % 7); // 1970-01-01 was a Thursday
  const date = new Date(day * dayMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / dayMs;
}

function after(window: CalendarWindow, start: number): number {
  if (window === 'day') return start + 1;
  if (window === 'week') return start + 7;
  const date = new Date(start * dayMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / dayMs;
}

/** The first instant of a local day. Zones are at most 14 h from UTC, and offsets are multiples of a quarter of an hour. */
function instantOf(day: number, timeZone: string): number {
  let [before, first] = [day * dayMs - 15 * 3_600_000, day * dayMs + 15 * 3_600_000];
  while (first - before > halfHourMs / 2) {
    const middle = before + Math.floor((first - before) / halfHourMs) * (halfHourMs / 2);
    if (localDay(middle, timeZone) >= day) first = middle;
    else before = middle;
  }
  return first;
}
