import { secondsIn, spans, type TimeRange } from '../../shared/range/time-range.ts';

export const rangeNames = ['today', '24h', '7d', '30d', '90d', 'all'] as const;
export type RangeName = (typeof rangeNames)[number];

/** What the URL says of time, at a moment. A range that ends now stays open, so that new rows come in by themselves. */
export function taskRangeOf(
  { range, from, to }: { range: string; from: string; to: string },
  { defaultRange, nowMs }: { defaultRange: RangeName; nowMs: number },
): TimeRange {
  if (from !== '' || to !== '') return { start: secondsIn(from), end: secondsIn(to) };
  const name = rangeNames.find((known) => known === range) ?? defaultRange;
  if (name === 'all') return { start: 0, end: 0 };
  if (name === 'today') return { start: Math.floor(new Date(nowMs).setHours(0, 0, 0, 0) / 1000), end: 0 };
  return { start: Math.floor(nowMs / 1000) - spans[name], end: 0 };
}
