/**
 * Keeps calls away from what fails: per channel and model a rolling window of outcomes. Too many failures open the breaker;
 * after a while one call is let through as a probe; its success closes the breaker, its failure opens it for longer.
 * Each process counts for itself; what opens and closes is told to the others, and they take turns in probing.
 */
export interface Breakers {
  state(channelId: number, model: string, nowMs: number): BreakerState;
  /** Before a channel is asked, which needs no waiting while its breaker is closed: undefined when it is half-open and somebody else is probing. */
  begin(channelId: number, model: string, nowMs: number): Attempt | Promise<Attempt | undefined>;
  succeeded(attempt: Attempt, nowMs: number): void;
  /** A failure of the channel. `pauseMs`: how long the provider itself asked to be left alone. */
  failed(attempt: Attempt, failure: { nowMs: number; pauseMs?: number }): void;
  /** The call ended without news of the channel (the caller left, the request was at fault). */
  ended(attempt: Attempt): void;
  /** What another process found out. */
  hear(news: BreakerNews, nowMs: number): void;
  /** Forgets channels, since their settings changed. */
  forget(channelIds: ReadonlySet<number>): void;
  /** How many are not closed now: open ones by their reason. */
  states(nowMs: number): { failing: number; limited: number; halfOpen: number };
}

/** One channel asked once. */
export interface Attempt {
  channelId: number;
  model: string;
  /** What began before a breaker opened says nothing about how the channel is since. */
  begunMs: number;
  /** It goes through a half-open breaker, and nobody else does until its outcome is known. */
  isProbe: boolean;
}

/** `limited`: the provider asked for a pause; `failing`: it fails too often. */
export type BreakerState = { isOpen: false } | { isOpen: true; reason: BreakerReason; untilMs: number };
export type BreakerReason = 'failing' | 'limited';

export type BreakerNews = { channelId: number; model: string } & (
  | { change: 'closed' }
  /** `leftMs`: how long it stays open from now on; `pauseMs`: what the next pause is doubled from. */
  | { change: 'opened'; reason: BreakerReason; leftMs: number; pauseMs: number }
);

/** The same breakers in other processes. */
export interface BreakerPeers {
  tell(news: BreakerNews): void;
  /** Whether this process may probe; never rejects. The turn is held for `forMs` at most. */
  takeProbe(channelId: number, model: string, forMs: number): Promise<boolean>;
  leaveProbe(channelId: number, model: string): void;
}

const windowMs = 10_000;
const slots = 5;
const fewestCalls = 10;
const failingShare = 0.5;
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;
/** A probe that never told its outcome does not keep the breaker shut for ever. */
const probeLifeMs = 60_000;
/** While another process probes, its turn is asked for this often: it may end without news. */
const askAgainMs = 250;
/** A pause that grew by less is not worth telling. */
const leastNewsMs = 500;
const mostEntries = 50_000;

interface Entry {
  channelId: number;
  model: string;
  slotStart: number;
  calls: number[];
  failures: number[];
  /** 0: closed; in the past: half-open. */
  openUntilMs: number;
  openedAtMs: number;
  reason: BreakerReason;
  pauseMs: number;
  probeUntilMs: number;
}

const alone: BreakerPeers = { tell: () => undefined, takeProbe: async () => true, leaveProbe: () => undefined };

export function breakers({ peers = alone, random = Math.random }: { peers?: BreakerPeers; random?: () => number } = {}): Breakers {
  const entries = new Map<string, Entry>();
  const closed: BreakerState = { isOpen: false };

  return {
    state(channelId, model, nowMs) {
      if (entries.size === 0) return closed;
      const entry = entries.get(keyOf(channelId, model));
      if (entry === undefined || entry.openUntilMs === 0) return closed;
      const untilMs = Math.max(entry.openUntilMs, entry.probeUntilMs);
      return nowMs < untilMs ? { isOpen: true, reason: entry.reason, untilMs } : closed;
    },
    begin(channelId, model, nowMs) {
      const attempt: Attempt = { channelId, model, begunMs: nowMs, isProbe: false };
      const entry = entries.get(keyOf(channelId, model));
      if (entry === undefined || entry.openUntilMs === 0 || nowMs < entry.openUntilMs) return attempt;
      return probe(entry, attempt);
    },
    succeeded(attempt, nowMs) {
      const key = keyOf(attempt.channelId, attempt.model);
      const entry = entries.get(key);
      if (entry?.openUntilMs === 0) count(entry, nowMs, false);
      else if (entry !== undefined && attempt.begunMs >= entry.openedAtMs) {
        entries.delete(key);
        peers.tell({ channelId: attempt.channelId, model: attempt.model, change: 'closed' });
      }
      leave(attempt);
    },
    failed(attempt, { nowMs, pauseMs = 0 }) {
      const entry = entryOf(attempt.channelId, attempt.model);
      const isNews = attempt.begunMs >= entry.openedAtMs;
      count(entry, nowMs, true);
      if (pauseMs > 0) {
        if (isNews) open(entry, nowMs, { reason: 'limited', forMs: Math.min(pauseMs, longestPauseMs) });
      } else if (entry.openUntilMs !== 0 && entry.reason === 'failing' ? isNews : isFailing(entry)) {
        entry.pauseMs = Math.min(entry.pauseMs === 0 ? firstPauseMs : entry.pauseMs * 2, longestPauseMs);
        open(entry, nowMs, { reason: 'failing', forMs: entry.pauseMs * (0.8 + 0.4 * random()) });
      } else if (attempt.isProbe) entry.probeUntilMs = 0;
      leave(attempt);
    },
    ended(attempt) {
      const entry = entries.get(keyOf(attempt.channelId, attempt.model));
      if (entry !== undefined && attempt.isProbe) entry.probeUntilMs = 0;
      leave(attempt);
    },
    hear(news, nowMs) {
      const { channelId, model } = news;
      if (news.change === 'closed') return void entries.delete(keyOf(channelId, model));
      const entry = entryOf(channelId, model);
      if (nowMs + news.leftMs <= entry.openUntilMs) return;
      entry.pauseMs = Math.max(entry.pauseMs, news.pauseMs);
      shut(entry, nowMs, { reason: news.reason, forMs: Math.min(news.leftMs, longestPauseMs * 2) });
    },
    forget(channelIds) {
      for (const [key, entry] of entries) if (channelIds.has(entry.channelId)) entries.delete(key);
    },
    states(nowMs) {
      const found = { failing: 0, limited: 0, halfOpen: 0 };
      for (const { openUntilMs, reason } of entries.values()) {
        if (openUntilMs !== 0) found[openUntilMs > nowMs ? reason : 'halfOpen'] += 1;
      }
      return found;
    },
  };

  async function probe(entry: Entry, attempt: Attempt): Promise<Attempt | undefined> {
    const { channelId, model, begunMs } = attempt;
    entry.probeUntilMs = begunMs + probeLifeMs; // before anything is waited for: this process's next call comes too late
    if (await peers.takeProbe(channelId, model, probeLifeMs)) return { ...attempt, isProbe: true };
    entry.probeUntilMs = begunMs + askAgainMs;
    return undefined;
  }

  function open(entry: Entry, nowMs: number, pause: Pause): void {
    const { channelId, model, openUntilMs, reason } = entry;
    shut(entry, nowMs, pause);
    if (reason === entry.reason && entry.openUntilMs - openUntilMs < leastNewsMs) return;
    peers.tell({ channelId, model, change: 'opened', reason: entry.reason, leftMs: pause.forMs, pauseMs: entry.pauseMs });
  }

  function leave({ channelId, model, isProbe }: Attempt): void {
    if (isProbe) peers.leaveProbe(channelId, model);
  }

  function entryOf(channelId: number, model: string): Entry {
    const key = keyOf(channelId, model);
    let entry = entries.get(key);
    if (entry === undefined) {
      if (entries.size >= mostEntries) entries.clear(); // names that callers make up must not fill the memory
      const none = () => new Array<number>(slots).fill(0);
      entry = {
        channelId,
        model,
        slotStart: 0,
        calls: none(),
        failures: none(),
        openUntilMs: 0,
        openedAtMs: 0,
        reason: 'failing',
        pauseMs: 0,
        probeUntilMs: 0,
      };
      entries.set(key, entry);
    }
    return entry;
  }
}

interface Pause {
  reason: BreakerReason;
  forMs: number;
}

function shut(entry: Entry, nowMs: number, { reason, forMs }: Pause): void {
  entry.reason = reason;
  entry.openedAtMs = nowMs;
  entry.openUntilMs = nowMs + forMs;
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
