import { type JsonObject, secondsOfBytes } from '@tollgate/providers';

/** Audio between two of a client's commits or clears. */
export interface AudioSegment {
  seconds: number;
  /** How the client closed it; undefined: it is still open. */
  end: 'commit' | 'clear' | undefined;
}

/** The format that makes most seconds of a byte. */
const longestFormat = 'g711';
const mostSegments = 1_000;

/**
 * The audio that a client appended and the provider has not yet made part of the conversation. The provider works through events
 * in order and answers later, so a commit or a clear closes a segment, and the provider's confirmation takes it from the queue.
 */
export class InputAudio {
  readonly #segments: AudioSegment[] = [{ seconds: 0, end: undefined }];
  /** All that was appended in this session, and the most that its bytes can last. In seconds. */
  #appended = 0;
  #longest = 0;
  #committed = 0;
  /** What the provider's turn detection found last. In seconds since the first append. */
  #turn: { itemId: string; from: number; to: number } | undefined;

  append(seconds: number, bytes: number): void {
    this.#open.seconds += seconds;
    this.#appended += seconds;
    this.#longest += secondsOfBytes(bytes, longestFormat);
  }

  /** Seconds since the last commit or clear. */
  get openSeconds(): number {
    return this.#open.seconds;
  }

  /** Commits that the provider has not confirmed. */
  get pendingCommits(): number {
    return this.#segments.filter(({ end }) => end === 'commit').length;
  }

  /** The longest that audio can last whose length is not counted yet. */
  get mostSeconds(): number {
    return Math.max(0, this.#longest - this.#committed);
  }

  get isFull(): boolean {
    return this.#segments.length >= mostSegments;
  }

  /** Closes the open segment. */
  close(end: 'commit' | 'clear'): AudioSegment {
    const segment = this.#open;
    segment.end = end;
    this.#segments.push({ seconds: 0, end: undefined });
    return segment;
  }

  /** The provider refused a commit or a clear: the audio stays in its buffer. */
  reopen(segment: AudioSegment): void {
    const at = this.#segments.indexOf(segment);
    const next = this.#segments[at + 1];
    if (at < 0 || next === undefined) return;
    next.seconds += segment.seconds;
    this.#segments.splice(at, 1);
  }

  /** Turn detection says where in all of the audio an item begins or ends. */
  heardTurn(event: JsonObject): void {
    const { item_id: itemId, audio_start_ms: start, audio_end_ms: end } = event;
    if (typeof itemId !== 'string') return;
    const known = this.#turn?.itemId === itemId ? this.#turn : { itemId, from: Number.NaN, to: Number.NaN };
    if (typeof start === 'number') known.from = start / 1000;
    if (typeof end === 'number') known.to = end / 1000;
    this.#turn = known;
  }

  /** The provider made audio an item of the conversation. Returns how many seconds. */
  committed(itemId: string): number {
    const head = this.#segments[0] as AudioSegment;
    const { itemId: turnId, from, to } = this.#turn ?? { itemId: undefined, from: Number.NaN, to: Number.NaN };
    const isCut = turnId === itemId && to >= 0;
    let { seconds } = head;
    if (!isCut && head.end === 'commit') this.#segments.shift();
    else {
      // Turn detection cuts within a segment: what lies behind the end of the turn stays.
      const later = this.#segments.reduce((sum, segment) => sum + segment.seconds, 0) - head.seconds;
      const behind = isCut ? this.#appended - later - to : 0;
      head.seconds = Math.min(seconds, Math.max(0, behind));
      seconds = isCut && to >= from ? Math.min(seconds, to - from) : seconds - head.seconds;
    }
    seconds = Math.round(seconds * 1000) / 1000; // sums of fractions: a begun second is paid whole
    this.#committed += seconds;
    return seconds;
  }

  /** The provider emptied its buffer. */
  cleared(): void {
    const at = this.#segments.findIndex(({ end }) => end === 'clear');
    this.#segments.splice(0, at + 1);
  }

  get #open(): AudioSegment {
    return this.#segments.at(-1) as AudioSegment;
  }
}
