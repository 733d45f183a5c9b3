import { UpstreamError } from '@tollgate/providers';
import { LRUCache } from 'lru-cache';

const keptMs = 60_000;
const mostKept = 1_000;
/** Counting is free, but providers limit how often. Of one channel, by one relay. */
const mostAMinute = 60;
const minuteMs = 60_000;
/** After a failure, and where the provider does not count. */
const pauseMs = 60_000;
const longPauseMs = 600_000;

interface Pace {
  /** When the minute, or the pause, ends. */
  untilMs: number;
  left: number;
}

/** Counts of prompts that providers made, for a short while, and how often each channel may be asked for one. */
export class CountMemory {
  readonly #known = new LRUCache<string, number>({ max: mostKept, ttl: keptMs });
  readonly #paces = new Map<number, Pace>();

  known(key: string): number | undefined {
    return this.#known.get(key);
  }

  keep(key: string, tokens: number): void {
    this.#known.set(key, tokens);
  }

  /** Takes one of the questions that a channel may be asked now; false when there is none left. */
  take(channelId: number): boolean {
    const nowMs = performance.now();
    const pace = this.#paces.get(channelId);
    if (pace === undefined || pace.untilMs <= nowMs) {
      this.#paces.set(channelId, { untilMs: nowMs + minuteMs, left: mostAMinute - 1 });
      return true;
    }
    pace.left -= 1;
    return pace.left >= 0;
  }

  /** Leaves a channel alone for a while after a failure, unless that was about this prompt alone. */
  failed(channelId: number, error: unknown): void {
    const stated = error instanceof UpstreamError ? error : undefined;
    const isMissing = stated?.status === 404 || stated?.status === 405;
    if (stated?.kind === 'request' && !isMissing) return;
    const waitMs = stated?.retryAfterMs ?? (isMissing ? longPauseMs : pauseMs);
    this.#paces.set(channelId, { untilMs: performance.now() + waitMs, left: 0 });
  }
}
