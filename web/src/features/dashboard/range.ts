import { longestHourlyUsage } from '@tollgate/contracts/constants';
import { type Span, secondsIn, spans, type TimeRange } from '../../shared/range/time-range.ts';

export const steps = ['hour', 'day', 'week'] as const;
export type Step = (typeof steps)[number];

/** Spans to choose from; the longer ones are for administrators. */
export const ownSpans = ['24h', '7d', '30d'] as const satisfies Span[];
export const allSpans = [...ownSpans, '90d', '365d'] as const satisfies Span[];

const spanOfStep: Record<Step, Span> = { hour: '24h', day: '7d', week: '30d' };
const stepSeconds: Record<Step, number> = { hour: 3600, day: 86_400, week: 604_800 };

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

/** The begins of all steps in a range, unix seconds. Days and weeks are those of UTC, a week begins on Monday: so the server adds up. */
export function bucketsIn({ start, end }: TimeRange, step: Step): number[] {
  const buckets: number[] = [];
  for (let at = bucketOf(start, step); at < end; at += stepSeconds[step]) buckets.push(at);
  return buckets;
}

/** The begin of the step that a moment lies in. */
export function bucketOf(seconds: number, step: Step): number {
  // 1970 began on a Thursday.
  const shift = step === 'week' ? 3 * 86_400 : 0;
  return Math.floor((seconds + shift) / stepSeconds[step]) * stepSeconds[step] - shift;
}

/** `11-22 14:00`, `11-22`, `11-16 – 11-22`: hours in the browser's zone, days and weeks as the server has them. */
export function bucketLabel(seconds: number, step: Step): string {
  const date = new Date(seconds * 1000);
  if (step === 'hour') return `${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:00`;
  const day = (at: Date): string => `${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
  return step === 'day' ? day(date) : `${day(date)} – ${day(new Date((seconds + 6 * 86_400) * 1000))}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
