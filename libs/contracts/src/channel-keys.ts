/**
 * How a channel with several keys chooses one for an attempt. `random` spreads calls evenly, `polling` takes turns, `fill` uses the first
 * key that works, `least_busy` the one with the fewest open calls. The first two names are those of the one-api family.
 */
export const keyModes = ['random', 'polling', 'fill', 'least_busy'] as const;
export type KeyMode = (typeof keyModes)[number];

/** In the place of a key id: the channel has one key. */
export const noKey = 0;

/** Keys of one channel. */
export const mostKeys = 5_000;
/** Keys in one request. */
export const mostKeysAtOnce = 1_000;
/** Characters at the end of a key that the console shows. A short key shows none. */
export const keyTailLength = 4;

/** The end of a key, by which its owner recognizes it. */
export function keyTail(key: string): string {
  const text = key.trim();
  return text.length >= 4 * keyTailLength && !text.startsWith('{') ? text.slice(-keyTailLength) : '';
}

/** A hash of Redis: key id to the JSON of a `KeyRest`, of the keys of a channel that rest now. Relays write it for the console. */
export function restingKeysKey(channelId: number): string {
  return `channel-keys:resting:${channelId}`;
}

/** Why the relays leave a key alone, and until when (ms since 1970). */
export interface KeyRest {
  /** `refused`: its account; `limited`: its provider asked for a pause; `failing`: it fails too often. */
  reason: 'refused' | 'limited' | 'failing';
  /** '' where the key rests for all models. */
  model: string;
  untilMs: number;
}

/** A hash of Redis: `<key id>:<counter>` to a number, of what the keys of a channel did on a UTC day (`20261126`). */
export function keyCountsKey(channelId: number, day: string): string {
  return `channel-keys:counts:${channelId}:${day}`;
}
/** Attempts, failed ones, ms that answers took, and quota. */
export const keyCounters = ['calls', 'failures', 'ms', 'quota'] as const;
export type KeyCounter = (typeof keyCounters)[number];
/** Days for which counts of keys are kept. */
export const keyCountDays = 8;

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
}
