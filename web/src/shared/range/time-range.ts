/** Spans that end now, in seconds. */
export const spans = {
  '15m': 900,
  '1h': 3600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
  '90d': 7_776_000,
  '365d': 31_536_000,
} as const;
export type Span = keyof typeof spans;

export interface TimeRange {
  /** Unix seconds; 0 is open. */
  start: number;
  end: number;
}

/** A moment in an address; 0 where it is none. */
export function secondsIn(text: string): number {
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds) : 0;
}
