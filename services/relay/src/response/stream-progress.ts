import type { StreamReading } from '@tollgate/providers';
import { upstreamFailure } from '../upstream/upstream-failure.ts';

/** A provider that has said all but its end mark is given so long to say it, and its bill. */
const graceMs = 2_000;
/** More than the longest frame: bytes beyond it that said nothing are none of an answer. */
const mostWithoutNews = 16 << 20;

/** Whether a stream gets on: comments and empty frames keep a line alive, but nobody waits for them. */
export class Progress {
  readonly #reading: StreamReading;
  readonly #silenceMs: number;
  #news = -1;
  #newsAt = performance.now();
  #newsAtBytes = -1;
  #completeAt: number | undefined;
  #bytes = 0;

  constructor(reading: StreamReading, { silenceMs }: { silenceMs: number }) {
    this.#reading = reading;
    this.#silenceMs = silenceMs;
  }

  /** So many bytes have come. Throws: UpstreamError when too many have come without news. */
  read(bytes: number): void {
    this.#bytes = this.#reading.news === this.#newsAtBytes ? this.#bytes + bytes : 0;
    this.#newsAtBytes = this.#reading.news;
    if (this.#bytes > mostWithoutNews) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  }

  /** `over`: the answer is whole and its end mark does not come. `silent`: it is not, and nothing has been said for too long. */
  at(now: number): 'on' | 'over' | 'silent' {
    if (this.#reading.news !== this.#news) this.reset(now);
    if (!this.#reading.isComplete) return now - this.#newsAt > this.#silenceMs ? 'silent' : 'on';
    this.#completeAt ??= now;
    return now - this.#completeAt >= graceMs ? 'over' : 'on';
  }

  /** Begins to wait anew: something was said, or nobody was listening. */
  reset(now: number): void {
    this.#news = this.#reading.news;
    this.#newsAt = now;
    this.#completeAt = undefined;
  }
}
