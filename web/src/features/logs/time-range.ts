/** Spans that end now, in seconds. */
export const spans = { '15m': 900, '1h': 3600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;
export const rangeNames = ['today', '15m', '1h', '24h', '7d', '30d', 'all'] as const;
export type RangeName = (typeof rangeNames)[number];
export const defaultRange: RangeName = 'today';

export interface TimeRange {
  /** Unix seconds; 0 is open. */
  start: number;
  end: number;
}

/** What the URL's `range`, `from` and `to` mean at a moment. A range that ends now stays open, so that a refresh finds new rows. */
export function timeRangeOf({ range, from, to }: { range: string; from: string; to: string }, nowMs: number): TimeRange {
  if (from !== '' || to !== '') return { start: secondsIn(from), end: secondsIn(to) };
  const name = rangeNames.find((known) => known === range) ?? defaultRange;
  if (name === 'all') return { start: 0, end: 0 };
  if (name === 'today') return { start: Math.floor(new Date(nowMs).setHours(0, 0, 0, 0) / 1000), end: 0 };
  return { start: Math.floor(nowMs / 1000) - spans[name], end: 0 };
}

/** What of these the address says in a way that means nothing; a list that skipped it would show more than was asked for. */
export function unreadableFilters(values: { range: string; from: string; to: string; type: string; channel: string }): string[] {
  const isMoment = (text: string): boolean => text === '' || secondsIn(text) > 0;
  const isNumber = (text: string): boolean => /^\d*$/.test(text);
  const readable = {
    range: values.range === '' || rangeNames.some((name) => name === values.range),
    from: isMoment(values.from),
    to: isMoment(values.to),
    type: isNumber(values.type),
    channel: isNumber(values.channel),
  };
  return (Object.keys(readable) as (keyof typeof readable)[]).flatMap((name) => (readable[name] ? [] : [`${name}=${values[name]}`]));
}

function secondsIn(text: string): number {
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0;
}
