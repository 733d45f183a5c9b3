import type { Usage } from '@tollgate/contracts';
import type { OpenAiUsage } from './openai/types.ts';
import { toOpenAiUsage } from './openai/usage.ts';
import type { Delivered } from './output-meter.ts';
import type { ChatTranslation, JsonObject, PassThrough, Stamp, UsageReading } from './provider.ts';
import type { SseFrame } from './sse.ts';
import { StreamReading } from './stream-reading.ts';
import { thinkingToContent } from './thinking.ts';

export interface StreamOptions {
  stamp: Stamp;
  object?: 'chat.completion.chunk' | 'text_completion';
  /** The caller asked for the usage event. */
  wantsUsage: boolean;
  /** How many choices must finish before the answer is whole; the request's `n`. */
  choices?: number;
  /** The channel's setting: reasoning goes into the content. */
  thinkingToContent?: boolean;
  /** The channel's setting: every event is written anew instead of passed on. */
  forceFormat?: boolean;
  usageBound?: number;
}

/**
 * One streamed answer on its way to a caller who speaks OpenAI's dialect, frame by frame: what to write for it, and what has
 * been learned. Bytes travel untouched where the provider speaks that dialect and nothing has to change in the frame.
 */
export interface AnswerStream {
  /** What the caller gets for this frame; undefined for none. Throws: UpstreamError when the frame is an error. */
  push(frame: SseFrame): Buffer | string | undefined;
  /** The last bytes of a complete answer, with the usage event if it is still owed; `usage` is what will be charged. */
  end(usage: Usage): Buffer | string;
  /** The provider has said its last word: `end` may be called, further frames are ignored. */
  readonly isDone: boolean;
  /** The answer is whole, even if the body breaks off or falls silent now. */
  readonly isComplete: boolean;
  /** Something of the answer has come: from here on the call is never free and never tried elsewhere. */
  readonly hasContent: boolean;
  /** There is an answer, be it an empty one. Without it a provider that has said its last word has answered nothing. */
  readonly hasAnswer: boolean;
  /** How many pieces have said something: while it stands still nothing comes that the caller waits for. */
  readonly news: number;
  /** The provider's own bill so far. */
  readonly usage: UsageReading | undefined;
  /** Nothing has been delivered since that bill. */
  readonly isUsageLast: boolean;
  /** Our count of what has come; units: tokens. */
  readonly delivered: Delivered;
}

/** Throws nothing itself; see AnswerStream. */
export function openAnswerStream<Request>(dialect: PassThrough<Request> | ChatTranslation, options: StreamOptions): AnswerStream {
  return dialect.speaks === 'openai' ? new PassedStream(dialect, options) : new TranslatedStream(dialect, options);
}

/** The event that tells a caller that the answer breaks off here. No `[DONE]` follows: the answer is not whole. */
export function errorEvent(error: { message: string; type: string; code: string | number | null; param?: string | null }): string {
  const { message, type, code, param = null } = error;
  return eventOf({ error: { message, type, param, code } });
}

const doneEvent = 'data: [DONE]\n\n';

function eventOf(value: JsonObject): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** How chunks are written for a caller who speaks OpenAI's dialect. */
function chunkWriter(options: StreamOptions) {
  const moveThinking = options.thinkingToContent ? thinkingToContent() : undefined;
  return {
    chunk: (chunk: JsonObject): string => eventOf(moveThinking?.(chunk) ?? chunk),
    usage({ id, createdSeconds, model }: Stamp, usage: Usage): string {
      const chunk: JsonObject & { usage: OpenAiUsage } = {
        id,
        object: options.object ?? 'chat.completion.chunk',
        created: createdSeconds,
        model,
        choices: [],
        usage: toOpenAiUsage(usage),
      };
      return eventOf(chunk);
    },
  };
}

/** What both kinds of stream are: a reading of the provider, and a way to write. */
class StreamState {
  readonly options: StreamOptions;
  readonly reading: StreamReading;
  readonly write: ReturnType<typeof chunkWriter>;
  isDone = false;
  isUsageShown = false;

  constructor(options: StreamOptions) {
    this.options = options;
    this.reading = new StreamReading(options.stamp, options.usageBound);
    this.write = chunkWriter(options);
  }

  get isComplete(): boolean {
    return this.isDone || this.reading.finishedChoices >= (this.options.choices ?? 1);
  }

  get hasContent(): boolean {
    return this.reading.news > 0;
  }

  get hasAnswer(): boolean {
    return this.reading.news > 0 || this.reading.finishedChoices > 0;
  }

  get news(): number {
    return this.reading.news;
  }

  get usage(): UsageReading | undefined {
    return this.reading.usage;
  }

  get isUsageLast(): boolean {
    return this.reading.isUsageLast;
  }

  get delivered(): Delivered {
    return this.reading.delivered;
  }

  /** The usage event that the caller is still owed; '' when he is not. */
  owedUsage(usage: Usage): string {
    const isShown = this.isUsageShown && this.reading.isUsageCharged;
    return this.options.wantsUsage && !isShown ? this.write.usage(this.reading.head, usage) : '';
  }
}

class PassedStream<Request> extends StreamState implements AnswerStream {
  readonly #dialect: PassThrough<Request>;
  readonly #isRewritten: boolean;
  #lastFrame: Buffer | undefined;

  constructor(dialect: PassThrough<Request>, options: StreamOptions) {
    super(options);
    this.#dialect = dialect;
    this.#isRewritten = dialect.repair !== undefined || options.thinkingToContent === true || options.forceFormat === true;
  }

  push(frame: SseFrame): Buffer | string | undefined {
    if (this.isDone) return undefined;
    if (!frame.hasData) return frame.raw; // keep-alive comments help the caller's proxies too
    if (frame.isDone) {
      this.isDone = true;
      this.#lastFrame = frame.raw;
      return undefined;
    }
    const json = frame.json();
    if (typeof json !== 'object' || json === null) return this.#isRewritten ? undefined : frame.raw;
    return this.#pushChunk(json as JsonObject, frame);
  }

  #pushChunk(stated: JsonObject, frame: SseFrame): Buffer | string | undefined {
    const error = this.#dialect.errorIn(stated);
    if (error !== undefined) throw error;
    const chunk = this.#dialect.repair?.(stated, { stamp: this.options.stamp, isChunk: true }) ?? stated;
    const isUsageAlone = this.reading.learn(chunk);
    const isBill = this.reading.keep(this.#dialect.usageIn(stated)) !== undefined;
    const isCharged = isBill && this.reading.isUsageCharged;
    if (isUsageAlone && !(this.options.wantsUsage && isCharged && this.isComplete)) return undefined;
    this.isUsageShown ||= isCharged && Boolean(chunk.usage);
    if (!this.#isRewritten) return frame.raw;
    return Array.isArray(chunk.choices) ? this.write.chunk(chunk) : undefined;
  }

  end(usage: Usage): Buffer | string {
    const owed = this.owedUsage(usage);
    return owed === '' ? (this.#lastFrame ?? doneEvent) : owed + doneEvent;
  }
}

class TranslatedStream extends StreamState implements AnswerStream {
  readonly #decoder: ReturnType<ChatTranslation['decodeStream']>;

  constructor(dialect: ChatTranslation, options: StreamOptions) {
    super(options);
    this.#decoder = dialect.decodeStream(options.stamp);
  }

  override get isComplete(): boolean {
    return this.isDone || this.#decoder.state !== 'open';
  }

  push(frame: SseFrame): string | undefined {
    if (this.isDone || !frame.hasData) return undefined;
    const billBefore = this.#decoder.usage;
    let text = '';
    for (const chunk of this.#decoder.push(frame)) {
      this.reading.learn(chunk as unknown as JsonObject);
      text += this.write.chunk(chunk as unknown as JsonObject);
    }
    if (this.#decoder.usage !== billBefore) this.reading.keep(this.#decoder.usage);
    if (this.#decoder.state === 'ended') this.isDone = true;
    return text === '' ? undefined : text;
  }

  end(usage: Usage): string {
    return this.owedUsage(usage) + doneEvent;
  }
}
