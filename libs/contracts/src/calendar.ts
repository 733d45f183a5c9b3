import type { CalendarWindow } from './budgets.ts';

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

/**
 * The begins of the hours, days or weeks of a time zone that a span (unix seconds, both inclusive) touches, in unix seconds. Hours are those of
 * UTC: in zones of half hours they begin at :30. Throws RangeError for an unknown zone.
 */
export function stepBegins({ start, end }: { start: number; end: number }, step: 'hour' | 'day' | 'week', timeZone: string): number[] {
  const begins: number[] = [];
  if (step === 'hour') {
    for (let at = Math.floor(start / 3600) * 3600; at <= end; at += 3600) begins.push(at);
    return begins;
  }
  let day = beginOf(step, localDay(start * 1000, timeZone));
  let ms = instantOf(day, timeZone);
  while (ms <= end * 1000) {
    begins.push(ms / 1000);
    const next = after(step, day);
    // Most days have 24 hours, which is quick to see.
    const usual = ms + (next - day) * dayMs;
    const isUsual = localDay(usual, timeZone) === next && localDay(usual - 1, timeZone) === next - 1;
    ms = isUsual ? usual : instantOf(next, timeZone);
    day = next;
  }
  return begins;
}

const offsets = new Map<string, number>();

/** A time (unix seconds) in ISO 8601 with the offset of a zone: `2026-11-27T13:57:04+13:00`; in UTC it ends in `Z`. */
export function isoTime(seconds: number, timeZone: string): string {
  const ms = Math.floor(seconds) * 1000;
  if (timeZone === 'UTC') return `${new Date(ms).toISOString().slice(0, 19)}Z`;
  const minutes = offsetOf(ms, timeZone);
  const local = new Date(ms + minutes * 60_000).toISOString().slice(0, 19);
  const size = Math.abs(minutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Minutes that a zone is ahead of UTC. They change at quarters of an hour at most. */
function offsetOf(ms: number, timeZone: string): number {
  const name = `${Math.floor(ms / 900_000)} ${timeZone}`;
  const known = offsets.get(name);
  if (known !== undefined) return known;
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(gmtOffset(ms, timeZone)) ?? [];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (offsets.size >= mostKnown) offsets.clear();
  offsets.set(name, offset);
  return offset;
}

/** The offset of a zone at a time (ms since 1970): `GMT+13:00`; of UTC `GMT`. */
export function gmtOffset(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(ms);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Whether this is the IANA name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
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
