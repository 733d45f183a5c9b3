/**
 * Keeps calls away from what fails: per channel and model a rolling window of outcomes. Too many failures open the breaker;
 * after a while one call is let through as a probe; its success closes the breaker, its failure opens it for longer.
 */
export interface Breakers {
  state(channelId: number, model: string, nowMs: number): BreakerState;
  /** Takes the probe of a half-open breaker; nobody else gets it until its outcome is known. */
  begin(channelId: number, model: string, nowMs: number): void;
  succeeded(channelId: number, model: string, nowMs: number): void;
  /** A failure of the channel. `pauseMs`: how long the provider itself asked to be left alone. */
  failed(channelId: number, model: string, failure: { nowMs: number; pauseMs?: number }): void;
  /** The call ended without news of the channel (the caller left, the request was at fault). */
  ended(channelId: number, model: string): void;
  /** Forgets a channel, since its settings changed. */
  forget(channelId: number): void;
  /** Breakers that are open now, by their reason. */
  open(nowMs: number): { failing: number; limited: number };
}

/** `limited`: the provider asked for a pause; `failing`: it fails too often. */
export type BreakerState = { isOpen: false } | { isOpen: true; reason: 'failing' | 'limited'; untilMs: number };

const windowMs = 10_000;
const slots = 5;
const fewestCalls = 10;
const failingShare = 0.5;
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;
/** A probe that never told its outcome does not keep the breaker shut for ever. */
const probeLifeMs = 60_000;
const mostEntries = 50_000;

interface Entry {
  channelId: number;
  slotStart: number;
  calls: number[];
  failures: number[];
  openUntilMs: number;
  reason: 'failing' | 'limited';
  pauseMs: number;
  probeUntilMs: number;
}

export function breakers(random: () => number = Math.random): Breakers {
  const entries = new Map<string, Entry>();
  const closed: BreakerState = { isOpen: false };

  return {
    state(channelId, model, nowMs) {
      const entry = entries.get(keyOf(channelId, model));
      if (entry === undefined || entry.openUntilMs === 0) return closed;
      const untilMs = Math.max(entry.openUntilMs, entry.probeUntilMs);
      return nowMs < untilMs ? { isOpen: true, reason: entry.reason, untilMs } : closed;
    },
    begin(channelId, model, nowMs) {
      const entry = entries.get(keyOf(channelId, model));
      if (entry !== undefined && entry.openUntilMs !== 0) entry.probeUntilMs = nowMs + probeLifeMs;
    },
    succeeded(channelId, model, nowMs) {
      const key = keyOf(channelId, model);
      const entry = entries.get(key);
      if (entry === undefined) return;
      if (entry.openUntilMs !== 0) entries.delete(key);
      else count(entry, nowMs, false);
    },
    failed(channelId, model, { nowMs, pauseMs }) {
      const entry = entryOf(channelId, model);
      count(entry, nowMs, true);
      if (pauseMs !== undefined && pauseMs > 0) open(entry, nowMs, { reason: 'limited', pauseMs: Math.min(pauseMs, longestPauseMs) });
      else if ((entry.openUntilMs !== 0 && entry.reason === 'failing') || isFailing(entry)) {
        entry.pauseMs = Math.min(entry.pauseMs === 0 ? firstPauseMs : entry.pauseMs * 2, longestPauseMs);
        open(entry, nowMs, { reason: 'failing', pauseMs: entry.pauseMs * (0.8 + 0.4 * random()) });
      }
    },
    ended(channelId, model) {
      const entry = entries.get(keyOf(channelId, model));
      if (entry !== undefined) entry.probeUntilMs = 0;
    },
    forget(channelId) {
      for (const [key, entry] of entries) if (entry.channelId === channelId) entries.delete(key);
    },
    open(nowMs) {
      const found = { failing: 0, limited: 0 };
      for (const entry of entries.values()) if (entry.openUntilMs > nowMs) found[entry.reason] += 1;
      return found;
    },
  };

  function entryOf(channelId: number, model: string): Entry {
    const key = keyOf(channelId, model);
    let entry = entries.get(key);
    if (entry === undefined) {
      if (entries.size >= mostEntries) entries.clear(); // names that callers make up must not fill the memory
      const none = () => new Array<number>(slots).fill(0);
      entry = { channelId, slotStart: 0, calls: none(), failures: none(), openUntilMs: 0, reason: 'failing', pauseMs: 0, probeUntilMs: 0 };
      entries.set(key, entry);
    }
    return entry;
  }
}

function open(entry: Entry, nowMs: number, cause: { reason: 'failing' | 'limited'; pauseMs: number }): void {
  entry.reason = cause.reason;
  entry.openUntilMs = nowMs + cause.pauseMs;
  entry.probeUntilMs = 0;
}

function count(entry: Entry, nowMs: number, isFailure: boolean): void {
  const slotMs = windowMs / slots;
  const slot = Math.floor(nowMs / slotMs);
  // A clock that goes backwards counts into the newest slot.
  const passed = Math.min(slots, Math.max(0, slot - entry.slotStart));
  for (let step = 0; step < passed; step += 1) {
    entry.calls.pop();
    entry.failures.pop();
    entry.calls.unshift(0);
    entry.failures.unshift(0);
  }
  if (passed > 0) entry.slotStart = slot;
  entry.calls[0] = (entry.calls[0] ?? 0) + 1;
  if (isFailure) entry.failures[0] = (entry.failures[0] ?? 0) + 1;
}

function isFailing(entry: Entry): boolean {
  const calls = sum(entry.calls);
  return calls >= fewestCalls && sum(entry.failures) >= calls * failingShare;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function keyOf(channelId: number, model: string): string {
  return `${channelId} ${model}`;
}
