import { asCutShort, givenUp, isGivenUp } from './given-up.ts';
import { isObject } from './objects.ts';
import { type Delivered, OutputMeter } from './output-meter.ts';
import type { ChunkDecoder, JsonObject, PassThrough, Stamp, Translation, UsageReading } from './provider.ts';
import { unreadable } from './read-answer-shape.ts';
import { RepeatedJson } from './repeated-json.ts';
import type { SseFrame } from './sse.ts';
import { thinkingToContent } from './thinking.ts';
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

const nothing: readonly JsonObject[] = [];

/**
 * A provider's streamed answer, read frame by frame as chunks of the hub, and what has been learned from it, whoever it is
 * written for.
 */
export abstract class StreamReading {
  protected readonly meter = new OutputMeter();
  readonly #usageBound: number | undefined;
  readonly #choices: number;
  readonly #finished = new Set<unknown>();
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
    return this.isDone || this.#finished.size >= this.#choices;
  }

  /** Something of the answer has come: from here on the call is never free and never tried elsewhere. */
  get hasContent(): boolean {
    return this.news > 0;
  }

  /** There is an answer, be it an empty one. Without it a provider that has said its last word has answered nothing. */
  get hasAnswer(): boolean {
    return this.news > 0 || this.#finished.size > 0;
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
    return usage?.trusted === true && notBelow(this.delivered, usage.usage, { isLast: this.isUsageLast }) === usage.usage;
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
    if (this.#finished.size >= this.#choices && !this.hasContent) throw givenUp();
    return asCutShort(chunk);
  }

  /** Keeps the bill that stands in a frame, after `learn` of what came with it. */
  keep(usage: UsageReading | undefined): void {
    const reading = withinBound(usage, this.#usageBound);
    this.hasBill = reading !== undefined;
    if (reading === undefined) return;
    this.usage = reading;
    this.#newsAtUsage = this.news;
  }
}

function pieceOf(choice: JsonObject): JsonObject | null {
  return (typeof choice.delta === 'object' ? choice.delta : choice) as JsonObject | null;
}

function piecesIn({ choices }: JsonObject): JsonObject[] {
  return Array.isArray(choices) ? choices.filter(isObject).map(pieceOf).filter(isObject) : [];
}

/** What the last frame said, and will say again with other words in its pieces. */
interface Said {
  stated: unknown;
  chunks: readonly JsonObject[];
  pieces: readonly JsonObject[];
}

/** A stream in the hub's own dialect: its frames are chunks, and `[DONE]` ends it. */
class PlainReading<Request> extends StreamReading {
  readonly #dialect: PassThrough<Request>;
  readonly #repeated = new RepeatedJson();
  #last: Said | undefined;
  readonly #stamp: Stamp;
  readonly #moveThinking: ((chunk: JsonObject) => JsonObject) | undefined;

  constructor(dialect: PassThrough<Request>, options: StreamOptions) {
    super(options, dialect.repair === undefined && !options.thinkingToContent && !options.forceFormat);
    this.#dialect = dialect;
    this.#stamp = options.stamp;
    this.#moveThinking = options.thinkingToContent ? thinkingToContent() : undefined;
  }

  read(frame: SseFrame): readonly JsonObject[] {
    this.hasBill = false;
    if (this.isDone || !frame.hasData) return nothing;
    if (frame.isDone) {
      this.isDone = true;
      return nothing;
    }
    const stated = this.#repeated.json(frame);
    const last = this.#last;
    if (last !== undefined && stated === last.stated) return this.#again(last);
    this.#last = undefined;
    if (typeof stated !== 'object' || stated === null) return nothing;
    const chunks = [this.#chunkIn(stated as JsonObject)];
    if (chunks[0] === stated && !this.hasBill) this.#last = { stated, chunks, pieces: piecesIn(stated as JsonObject) };
    return chunks;
  }

  /** The same once more, but for what its pieces say. */
  #again({ chunks, pieces }: Said): readonly JsonObject[] {
    for (const piece of pieces) this.count(piece);
    return chunks;
  }

  #chunkIn(stated: JsonObject): JsonObject {
    const error = this.#dialect.errorIn(stated);
    if (error !== undefined) throw error;
    const repaired = this.#dialect.repair?.(stated, { stamp: this.#stamp, isChunk: true }) ?? stated;
    this.learn(repaired);
    this.keep(this.#dialect.usageIn(stated));
    const chunk = this.told(repaired);
    return this.#moveThinking !== undefined && Array.isArray(chunk.choices) ? this.#moveThinking(chunk) : chunk;
  }
}

/** A stream in a dialect of the provider's own, translated. */
class TranslatedReading extends StreamReading {
  readonly #decoder: ChunkDecoder;
  readonly #moveThinking: ((chunk: JsonObject) => JsonObject) | undefined;

  constructor(decoder: ChunkDecoder, options: StreamOptions) {
    super(options, !options.thinkingToContent && !options.forceFormat);
    this.#decoder = decoder;
    this.#moveThinking = options.thinkingToContent ? thinkingToContent() : undefined;
  }

  override get isComplete(): boolean {
    return this.isDone || this.#decoder.state !== 'open';
  }

  override get keptBytes(): number {
    return this.#decoder.keptBytes ?? 0;
  }

  read(frame: SseFrame): readonly JsonObject[] {
    this.hasBill = false;
    if (this.isDone || !frame.hasData) return nothing;
    const billBefore = this.#decoder.usage;
    const said: JsonObject[] = this.#decoder.push(frame);
    for (const chunk of said) this.learn(chunk);
    if (this.#decoder.usage !== billBefore) this.keep(this.#decoder.usage);
    if (this.#decoder.state === 'ended') this.isDone = true;
    const chunks = this.isBroken ? said.map((chunk) => this.told(chunk)) : said;
    return this.#moveThinking === undefined ? chunks : chunks.map(this.#moveThinking);
  }
}

/**
 * A stream of named events that are no pieces of choices: pictures, speech, transcripts. It is whole when as many of its answers as were
 * asked for have been told by a last event (`...completed`, `...done`).
 */
class EventReading<Request> extends StreamReading {
  readonly #dialect: PassThrough<Request>;
  readonly #answers: number;
  #ended = 0;
  #markedEnded = 0;

  constructor(dialect: PassThrough<Request>, options: StreamOptions) {
    super(options, true);
    this.#dialect = dialect;
    this.#answers = options.choices ?? 1;
  }

  override get isComplete(): boolean {
    return this.isDone || this.#ended >= this.#answers;
  }

  override get hasAnswer(): boolean {
    return this.news > 0;
  }

  override get delivered(): Delivered {
    return { ...super.delivered, pieces: this.#ended };
  }

  override mark(): void {
    super.mark();
    this.#markedEnded = this.#ended;
  }

  override get marked(): Delivered {
    return { ...super.marked, pieces: this.#markedEnded };
  }

  read(frame: SseFrame): readonly JsonObject[] {
    this.hasBill = false;
    if (this.isDone || !frame.hasData) return [];
    if (frame.isDone) {
      this.isDone = true;
      return [];
    }
    const event = frame.json();
    if (typeof event !== 'object' || event === null) return [];
    this.#learnEvent(event as JsonObject);
    return [event as JsonObject];
  }

  #learnEvent(event: JsonObject): void {
    const error = this.#dialect.errorIn(event);
    if (error !== undefined) throw error;
    this.news += 1;
    if (typeof event.delta === 'string') this.meter.add({ content: event.delta });
    if (typeof event.type === 'string' && /\.(?:completed|done)$/.test(event.type)) this.#ended += 1;
    this.keep(this.#dialect.usageIn(event));
  }
}

/** A whole answer of the hub as the one chunk of a stream, for a caller who wants a stream. */
class ReadingOfOne extends StreamReading {
  constructor(chunk: JsonObject, options: StreamOptions) {
    super(options, false);
    this.learn(chunk);
  }

  read(): readonly JsonObject[] {
    return nothing;
  }
}

/** Throws: UpstreamError when this provider streams no such answers. */
export function openStreamReading<Request>(
  dialect: PassThrough<Request> | Translation<Request, unknown>,
  options: StreamOptions,
): StreamReading {
  if (dialect.speaks === 'openai') return dialect.streamsEvents ? new EventReading(dialect, options) : new PlainReading(dialect, options);
  if (dialect.decodeStream === undefined) throw unreadable('a stream');
  return new TranslatedReading(dialect.decodeStream(options.stamp, { isWhole: options.isWhole === true }), options);
}

/**
 * The stream of one chunk, and one for its end, that says what a whole answer says; undefined when it has no choices. Clients take calls for
 * ended, and tell of it, when a chunk says why all has ended and brings nothing more of them.
 */
export function streamOfOne(answer: JsonObject, stamp: Stamp): { chunks: JsonObject[]; reading: StreamReading } | undefined {
  const { usage: _usage, choices, ...rest } = answer;
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  const pieces = (choices as JsonObject[]).map(({ message, ...choice }) =>
    message === undefined ? choice : { ...choice, delta: withIndexes((message ?? {}) as JsonObject) },
  );
  const ends = pieces.map(({ index, finish_reason, delta }) => ({
    index,
    ...(delta ? { delta: {} } : { text: '' }),
    logprobs: null,
    finish_reason,
  }));
  const chunks = [
    { ...rest, choices: pieces.map((piece) => ({ ...piece, finish_reason: null })) },
    { ...rest, choices: ends },
  ];
  return { chunks, reading: new ReadingOfOne({ ...rest, choices: pieces }, { stamp }) };
}

/** Pieces of calls say which call they are of; whole calls do not. */
function withIndexes(message: JsonObject): JsonObject {
  if (!Array.isArray(message.tool_calls)) return message;
  return { ...message, tool_calls: (message.tool_calls as JsonObject[]).map((call, index) => ({ index, ...call })) };
}

/** A chunk that carries nothing but the bill. */
export function isUsageAlone({ choices, usage }: JsonObject): boolean {
  return Boolean(usage) && (!Array.isArray(choices) || choices.length === 0);
}
