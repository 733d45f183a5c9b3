import { cachedTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import { asCutShort, givenUp, isGivenUp } from './given-up.ts';
import { type Delivered, OutputMeter } from './output-meter.ts';
import type { JsonObject, Stamp, UsageReading } from './provider.ts';
import type { SseFrame } from './sse.ts';
import { notBelow, withinBound } from './usage-reading.ts';

export interface StreamOptions {
  stamp: Stamp;
  /** How many choices must finish before the answer is whole; the request's `n`. */
  choices?: number;
  /** The channel's setting: reasoning goes into the content. */
  thinkingToContent?: boolean;
  /** The channel's setting: every event is written anew instead of passed on. */
  forceFormat?: boolean;
  usageBound?: number;
  /** The caller gets the answer whole. */
  isWhole?: boolean;
}

/** What an answer or a chunk of it is signed with; what it does not say, or says as what it cannot be, is as before. */
export function headIn({ id, model, created }: JsonObject, before: Stamp): Stamp {
  if (id === before.id && model === before.model && created === before.createdSeconds) return before;
  return {
    id: typeof id === 'string' && id !== '' ? id : before.id,
    model: typeof model === 'string' && model !== '' ? model : before.model,
    createdSeconds: typeof created === 'number' && created > 0 ? created : before.createdSeconds,
  };
}

/**
 * A provider's streamed answer, read frame by frame as chunks of the hub, and what has been learned from it, whoever it is
 * written for.
 */
export abstract class StreamReading {
  protected readonly meter = new OutputMeter();
  readonly #usageBound: number | undefined;
  readonly #choices: number;
  /** The choices that have ended; made when the first one does, for a stream keeps it to its end. */
  #finished: Set<unknown> | undefined;
  #newsAtUsage = 0;
  /** A choice has been given up. */
  protected isBroken = false;
  /** False when frames do not say what the caller is to hear: they cannot be passed on, whichever dialect they are in. */
  readonly isAsSent: boolean;
  /** What the answer's chunks are signed with. */
  head: Stamp;
  /** How many pieces have said something: while it stands still nothing comes that the caller waits for. */
  news = 0;
  /** The provider's own bill so far. */
  usage: UsageReading | undefined;
  /** The provider has said its last word; further frames are ignored. */
  isDone = false;
  /** The frame that was read last states a bill. */
  hasBill = false;

  constructor({ stamp, usageBound, choices = 1 }: StreamOptions, isAsSent: boolean) {
    this.head = stamp;
    this.isAsSent = isAsSent;
    this.#usageBound = usageBound;
    this.#choices = choices;
  }

  /** What a frame says, as it stands until the next one is read; nothing when it carries no news. Throws: UpstreamError when it is an error. */
  abstract read(frame: SseFrame): readonly JsonObject[];

  /** The answer is whole, even if the body breaks off or falls silent now. */
  get isComplete(): boolean {
    return this.isDone || this.#isFinished;
  }

  get #isFinished(): boolean {
    return this.#finished !== undefined && this.#finished.size >= this.#choices;
  }

  /** Something of the answer has come: from here on the call is never free and never tried elsewhere. */
  get hasContent(): boolean {
    return this.news > 0;
  }

  /** There is an answer, be it an empty one. Without it a provider that has said its last word has answered nothing. */
  get hasAnswer(): boolean {
    return this.news > 0 || this.#finished !== undefined;
  }

  /** How much of the answer is kept to be told later. */
  get keptBytes(): number {
    return 0;
  }

  /** Our count of what has come; units: tokens. */
  get delivered(): Delivered {
    return this.meter.tokens;
  }

  /** The caller has what has come so far. */
  mark(): void {
    this.meter.mark();
  }

  /** Our count of what had come at the mark. */
  get marked(): Delivered {
    return this.meter.marked;
  }

  /** Nothing has been delivered since the provider stated its bill. */
  get isUsageLast(): boolean {
    return this.news === this.#newsAtUsage;
  }

  /** Whether the provider's bill may be shown: it is believed, and less than it is not charged. */
  get isUsageCharged(): boolean {
    const { usage } = this;
    return (
      usage?.trusted === true &&
      notBelow(this.delivered, usage.usage, { isLast: this.isUsageLast, isSummed: usage.isSummed }) === usage.usage
    );
  }

  /** Learns from a chunk of the hub. */
  learn(chunk: JsonObject): void {
    this.head = headIn(chunk, this.head);
    if (!Array.isArray(chunk.choices)) return;
    for (const choice of chunk.choices as (JsonObject | null)[]) {
      if (typeof choice !== 'object' || choice === null) continue;
      const piece = pieceOf(choice);
      if (piece !== null) this.count(piece);
      if (!choice.finish_reason) continue;
      this.#finished ??= new Set();
      if (this.#finished.size < this.#choices) this.#finished.add(choice.index ?? 0);
      if (choice.finish_reason === 'error') this.isBroken = true;
    }
  }

  protected count(piece: JsonObject): void {
    if (this.meter.add(piece)) this.news += 1;
  }

  /** The chunk as callers of other dialects hear it. Throws: UpstreamError when the answer was given up before anything was said. */
  protected told(chunk: JsonObject): JsonObject {
    if (!this.isBroken || !isGivenUp(chunk)) return chunk;
    if (this.#isFinished && !this.hasContent) throw givenUp();
    return asCutShort(chunk);
  }

  /** Keeps the bill that stands in a frame, after `learn` of what came with it. */
  keep(usage: UsageReading | undefined): void {
    const reading = withinBound(usage, this.#usageBound);
    this.hasBill = reading !== undefined;
    if (reading === undefined) return;
    this.usage = withCacheOf(this.usage, reading);
    this.#newsAtUsage = this.news;
  }
}

/** A later bill of the same prompt without the cache, or without how it was served, does not take back what an earlier one stated. */
function withCacheOf(before: UsageReading | undefined, after: UsageReading): UsageReading {
  if (!before?.trusted || !after.trusted || before === after) return after;
  if (after.served === undefined && before.served !== undefined) return withCacheOf(before, { ...after, served: before.served });
  const [was, is] = [before.usage, after.usage];
  const hasCache = (usage: Usage) => cachedTokensOf(usage) + usage.cacheWrite5m + usage.cacheWrite1h > 0;
  if (!hasCache(was) || hasCache(is) || promptTokensOf(was) !== promptTokensOf(is)) return after;
  const { textOutput, reasoningOutput, audioOutput, imageOutput } = is;
  return { ...after, usage: { ...was, textOutput, reasoningOutput, audioOutput, imageOutput } };
}

/** What a choice says: its delta, or itself in a completion. */
export function pieceOf(choice: JsonObject): JsonObject | null {
  return (typeof choice.delta === 'object' ? choice.delta : choice) as JsonObject | null;
}

/** A chunk that carries nothing but the bill. */
export function isUsageAlone({ choices, usage }: JsonObject): boolean {
  return Boolean(usage) && (!Array.isArray(choices) || choices.length === 0);
}
