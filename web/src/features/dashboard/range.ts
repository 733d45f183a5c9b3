import { gmtOffset, stepBegins } from '@tollgate/contracts/calendar';
import { longestHourlyUsage } from '@tollgate/contracts/constants';
import { type Span, secondsIn, spans, type TimeRange } from '../../shared/range/time-range.ts';

export const steps = ['hour', 'day', 'week'] as const;
export type Step = (typeof steps)[number];

/** Spans to choose from; the longer ones are for administrators. */
export const ownSpans = ['24h', '7d', '30d'] as const satisfies Span[];
export const allSpans = [...ownSpans, '90d', '365d'] as const satisfies Span[];

const spanOfStep: Record<Step, Span> = { hour: '24h', day: '7d', week: '30d' };

/** The span that a site shows at first: what its usual step asks for. */
export function firstSpan(usualStep: string): Span {
  return spanOfStep[steps.find((step) => step === usualStep) ?? 'hour'];
}

/** What the address asks for, in whole hours, so that the same question is not asked anew each second. */
export function rangeOf({ range, from, to }: { range: string; from: string; to: string }, usual: Span, nowMs: number): Required<TimeRange> {
  const now = Math.ceil(nowMs / 3_600_000) * 3600;
  if (from !== '' || to !== '') {
    const end = secondsIn(to) || now;
    return { start: secondsIn(from) || end - spans[usual], end };
  }
  const span = allSpans.find((name) => name === range) ?? usual;
  return { start: now - spans[span], end: now };
}

/** The step that was asked for, else the one that makes neither two bars nor two hundred. Everybody's hours of a long range are answered as days. */
export function stepOf(asked: string, { start, end }: TimeRange, isEverybodys: boolean): Step {
  const known = steps.find((step) => step === asked);
  if (known === 'hour' && isEverybodys && end - start > longestHourlyUsage) return 'day';
  if (known) return known;
  const days = (end - start) / 86_400;
  if (days <= 2) return 'hour';
  return days <= 62 ? 'day' : 'week';
}

/** The steps of a chart: their begins in unix seconds, and a label for each, no two alike. */
export interface Axis {
  begins: number[];
  labels: string[];
}

/** All steps that a range touches, in a time zone; a week begins on Monday. */
export function axisOf({ start, end }: TimeRange, step: Step, zone: string): Axis {
  const begins = stepBegins({ start: Math.floor(start / 3600) * 3600, end: end - 1 }, step, zone);
  const seen = new Set<string>();
  const labels = begins.map((at) => {
    const label = step === 'hour' ? hourLabel(at, zone) : dayLabel(at, zone);
    const shown = step === 'week' ? `${label} – ${dayLabel(at + 6.5 * 86_400, zone)}` : label;
    // Where clocks go back, an hour comes twice.
    const unique = seen.has(shown) ? `${shown} (${offsetOf(at, zone)})` : shown;
    seen.add(unique);
    return unique;
  });
  return { begins, labels };
}

/** `Pacific/Auckland (UTC+13:00)`, with the offset at a time. */
export function zoneText(zone: string, seconds: number): string {
  return zone === 'UTC' ? zone : `${zone} (${offsetOf(seconds, zone)})`;
}

function offsetOf(seconds: number, timeZone: string): string {
  return gmtOffset(seconds * 1000, timeZone).replace('GMT', 'UTC');
}

function hourLabel(seconds: number, timeZone: string): string {
  const { month, day, hour, minute } = partsOf(seconds, timeZone);
  return `${month}-${day} ${hour}:${minute}`;
}

function dayLabel(seconds: number, timeZone: string): string {
  const { month, day } = partsOf(seconds, timeZone);
  return `${month}-${day}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(seconds: number, timeZone: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const digits = '2-digit';
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', { timeZone, month: digits, day: digits, hour: digits, minute: digits, hourCycle: 'h23' });
  formats.set(timeZone, format);
  return Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
}
