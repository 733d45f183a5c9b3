import { type KeyRest, noKey } from '@tollgate/contracts';

/**
 * Keeps calls away from what fails: per channel, key and model a rolling window of outcomes. Too many failures open the breaker;
 * after a while one call is let through as a probe; its success closes the breaker, its failure opens it for longer.
 * Each process counts for itself; what opens and closes is told to the others, and they take turns in probing.
 * A key has breakers of its own where its channel has several (`keyId`; `noKey` elsewhere): they open sooner, since another key can serve.
 */
export interface Breakers {
  state(channelId: number, model: string, nowMs: number, keyId?: number): BreakerState;
  /** Before a channel is asked, which needs no waiting while its breaker is closed: undefined when it is half-open and somebody else is probing. */
  begin(channelId: number, model: string, nowMs: number, keyId?: number): Attempt | Promise<Attempt | undefined>;
  succeeded(attempt: Attempt, nowMs: number): void;
  /** A failure of the channel or its key. */
  failed(attempt: Attempt, failure: BreakerFailure): void;
  /** The provider stated that it will refuse further calls for `pauseMs`. This one was served. */
  pause(attempt: Attempt, nowMs: number, pauseMs: number): void;
  /** The call ended without news of the channel (the caller left, the request was at fault). */
  ended(attempt: Attempt): void;
  /** What another process found out. */
  hear(news: BreakerNews, nowMs: number): void;
  /** Forgets channels, since their settings changed. */
  forget(channelIds: ReadonlySet<number>): void;
  /** How many are not closed now: open ones by their reason. */
  states(nowMs: number): { failing: number; limited: number; halfOpen: number };
}

export interface BreakerFailure {
  nowMs: number;
  /** How long the provider itself asked to be left alone. */
  pauseMs?: number | undefined;
  /** The provider refuses calls for now, without saying for how long. */
  isLimited?: boolean;
  /** The provider refuses the key itself, whatever the model. Counts only for one of several keys. */
  isRefused?: boolean;
}

/** One channel asked once. */
export interface Attempt {
  channelId: number;
  keyId: number;
  /** '' where it is a probe of a key that was refused for all models. */
  model: string;
  /** What began before a breaker opened says nothing about how the channel is since. */
  begunMs: number;
  /** It goes through a half-open breaker, and nobody else does until its outcome is known. */
  isProbe: boolean;
}

/** `limited`: the provider asked for a pause; `failing`: it fails too often; `refused`: the provider refuses the key. */
export type BreakerState = { isOpen: false } | { isOpen: true; reason: BreakerReason; untilMs: number };
export type BreakerReason = KeyRest['reason'];

export type BreakerNews = { channelId: number; keyId: number; model: string } & (
  | { change: 'closed' }
  /** `leftMs`: how long it stays open from now on; `pauseMs`: what the next pause is doubled from. */
  | { change: 'opened'; reason: BreakerReason; leftMs: number; pauseMs: number }
);

/** The same breakers in other processes. */
export interface BreakerPeers {
  tell(news: BreakerNews): void;
  /** Whether this process may probe; never rejects. The turn is held for `forMs` at most. */
  takeProbe(of: BreakerPlace, forMs: number): Promise<boolean>;
  leaveProbe(of: BreakerPlace): void;
}

export type BreakerPlace = Pick<Attempt, 'channelId' | 'keyId' | 'model'>;

const windowMs = 10_000;
const slots = 5;
const fewestCalls = 10;
/** So many failures in a row open the breaker of one of several keys. */
const mostInRow = 3;
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

interface Entry extends BreakerPlace {
  slotStart: number;
  calls: number[];
  failures: number[];
  /** Failures since the last success. */
  inRow: number;
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
  return {
    state(channelId, model, nowMs, keyId = noKey) {
      if (entries.size === 0) return closed;
      const state = stateOf(entries.get(placeOf(channelId, model, keyId)), nowMs);
      return state.isOpen || keyId === noKey ? state : stateOf(entries.get(placeOf(channelId, '', keyId)), nowMs);
    },
    begin(channelId, model, nowMs, keyId = noKey) {
      const attempt: Attempt = { channelId, keyId, model, begunMs: nowMs, isProbe: false };
      if (entries.size === 0) return attempt;
      const whole = keyId === noKey ? undefined : entries.get(placeOf(channelId, '', keyId));
      const entry = isHalfOpen(whole, nowMs) ? whole : entries.get(placeOf(channelId, model, keyId));
      return isHalfOpen(entry, nowMs) ? probe(entry, { ...attempt, model: entry.model }) : attempt;
    },
    succeeded(attempt, nowMs) {
      const place = placeIn(attempt);
      const entry = entries.get(place);
      if (entry?.openUntilMs === 0) count(entry, nowMs, false);
      else if (entry !== undefined && attempt.begunMs >= entry.openedAtMs) {
        entries.delete(place);
        const { channelId, keyId, model } = attempt;
        peers.tell({ channelId, keyId, model, change: 'closed' });
      }
      leave(attempt);
    },
    failed(attempt, { nowMs, pauseMs = 0, isLimited = false, isRefused = false }) {
      const { keyId, isProbe } = attempt;
      const isOneOfSeveral = keyId !== noKey;
      const entry = entryOf(isRefused && isOneOfSeveral ? { ...attempt, model: '' } : attempt);
      const isNews = attempt.begunMs >= entry.openedAtMs;
      count(entry, nowMs, true);
      if (pauseMs > 0) {
        if (isNews) open(entry, nowMs, { reason: 'limited', forMs: Math.min(pauseMs, longestPauseMs) });
      } else if (isOneOfSeveral && (isRefused || isLimited)) {
        if (isNews) openForLonger(entry, nowMs, isRefused ? 'refused' : 'limited');
      } else if (entry.openUntilMs !== 0 && entry.reason !== 'limited' ? isNews : isFailing(entry)) {
        openForLonger(entry, nowMs, 'failing');
      } else if (isProbe) entry.probeUntilMs = 0;
      leave(attempt);
    },
    pause(attempt, nowMs, pauseMs) {
      const entry = entryOf(attempt);
      if (attempt.begunMs >= entry.openedAtMs) open(entry, nowMs, { reason: 'limited', forMs: Math.min(pauseMs, longestPauseMs) });
    },
    ended(attempt) {
      const entry = entries.get(placeIn(attempt));
      if (entry !== undefined && attempt.isProbe) entry.probeUntilMs = 0;
      leave(attempt);
    },
    hear(news, nowMs) {
      if (news.change === 'closed') return void entries.delete(placeIn(news));
      const entry = entryOf(news);
      if (nowMs + news.leftMs <= entry.openUntilMs) return;
      entry.pauseMs = Math.max(entry.pauseMs, news.pauseMs);
      shut(entry, nowMs, { reason: news.reason, forMs: Math.min(news.leftMs, longestPauseMs * 2) });
    },
    forget(channelIds) {
      for (const [place, entry] of entries) if (channelIds.has(entry.channelId)) entries.delete(place);
    },
    states(nowMs) {
      const found = { failing: 0, limited: 0, halfOpen: 0 };
      for (const { openUntilMs, reason } of entries.values()) {
        if (openUntilMs === 0) continue;
        const kind = reason === 'limited' ? 'limited' : 'failing';
        found[openUntilMs > nowMs ? kind : 'halfOpen'] += 1;
      }
      return found;
    },
  };

  async function probe(entry: Entry, attempt: Attempt): Promise<Attempt | undefined> {
    const { begunMs } = attempt;
    entry.probeUntilMs = begunMs + probeLifeMs; // before anything is waited for: this process's next call comes too late
    if (await peers.takeProbe(attempt, probeLifeMs)) return { ...attempt, isProbe: true };
    entry.probeUntilMs = begunMs + askAgainMs;
    return undefined;
  }

  function openForLonger(entry: Entry, nowMs: number, reason: BreakerReason): void {
    entry.pauseMs = Math.min(entry.pauseMs === 0 ? firstPauseMs : entry.pauseMs * 2, longestPauseMs);
    // Several keys that failed together are not all probed by the same call.
    open(entry, nowMs, { reason, forMs: Math.min(entry.pauseMs * (0.8 + 0.4 * random()), longestPauseMs) });
  }

  function open(entry: Entry, nowMs: number, pause: Pause): void {
    const { channelId, keyId, model, openUntilMs, reason } = entry;
    shut(entry, nowMs, pause);
    if (reason === entry.reason && entry.openUntilMs - openUntilMs < leastNewsMs) return;
    peers.tell({ channelId, keyId, model, change: 'opened', reason: entry.reason, leftMs: pause.forMs, pauseMs: entry.pauseMs });
  }

  function leave(attempt: Attempt): void {
    if (attempt.isProbe) peers.leaveProbe(attempt);
  }

  function entryOf(of: BreakerPlace): Entry {
    const { channelId, keyId, model } = of;
    const place = placeIn(of);
    let entry = entries.get(place);
    if (entry === undefined) {
      if (entries.size >= mostEntries) entries.clear(); // names that callers make up must not fill the memory
      const none = () => new Array<number>(slots).fill(0);
      entry = {
        channelId,
        keyId,
        model,
        slotStart: 0,
        calls: none(),
        failures: none(),
        inRow: 0,
        openUntilMs: 0,
        openedAtMs: 0,
        reason: 'failing',
        pauseMs: 0,
        probeUntilMs: 0,
      };
      entries.set(place, entry);
    }
    return entry;
  }
}

const closed: BreakerState = { isOpen: false };

function stateOf(entry: Entry | undefined, nowMs: number): BreakerState {
  if (entry === undefined || entry.openUntilMs === 0) return closed;
  const untilMs = Math.max(entry.openUntilMs, entry.probeUntilMs);
  return nowMs < untilMs ? { isOpen: true, reason: entry.reason, untilMs } : closed;
}

function isHalfOpen(entry: Entry | undefined, nowMs: number): entry is Entry {
  return entry !== undefined && entry.openUntilMs !== 0 && nowMs >= entry.openUntilMs;
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
  entry.inRow = isFailure ? entry.inRow + 1 : 0;
  if (isFailure) entry.failures[0] = (entry.failures[0] ?? 0) + 1;
}

function isFailing(entry: Entry): boolean {
  if (entry.keyId !== noKey && entry.inRow >= mostInRow) return true;
  const calls = sum(entry.calls);
  return calls >= fewestCalls && sum(entry.failures) >= calls * failingShare;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function placeIn({ channelId, model, keyId }: BreakerPlace): string {
  return placeOf(channelId, model, keyId);
}

function placeOf(channelId: number, model: string, keyId: number): string {
  return keyId === noKey ? `${channelId} ${model}` : `${channelId}/${keyId} ${model}`;
}
