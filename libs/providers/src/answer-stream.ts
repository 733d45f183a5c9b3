import type { Usage } from '@tollgate/contracts';
import { OutputMeter } from './estimate.ts';
import type { OpenAiUsage } from './openai/types.ts';
import { toOpenAiUsage } from './openai/usage.ts';
import type { ChatTranslation, JsonObject, PassThrough, Stamp, UsageReading } from './provider.ts';
import type { SseFrame } from './sse.ts';
import { thinkingToContent } from './thinking.ts';
import { withinBound } from './usage-reading.ts';

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
  /** The provider's own bill so far. */
  readonly usage: UsageReading | undefined;
  /** Our count of what has come; units: tokens. */
  readonly delivered: { textOutput: number; reasoningOutput: number };
}

/** Throws nothing itself; see AnswerStream. */
export function openAnswerStream<Request>(dialect: PassThrough<Request> | ChatTranslation, options: StreamOptions): AnswerStream {
  return dialect.speaks === 'openai' ? new PassedStream(dialect, options) : new TranslatedStream(dialect, options);
}

/** The event that tells a caller that the answer breaks off here. No `[DONE]` follows: the answer is not whole. */
export function errorEvent(error: { message: string; type: string; code: string | number | null; param?: string | null }): string {
  const { message, type, code, param = null } = error;
  return `data: ${JSON.stringify({ error: { message, type, param, code } })}\n\n`;
}

const contentFields = ['content', 'text', 'reasoning_content', 'reasoning', 'tool_calls', 'function_call', 'refusal', 'audio'];

const doneEvent = 'data: [DONE]\n\n';

/** What both kinds of stream keep. */
class StreamState {
  readonly options: StreamOptions;
  readonly meter = new OutputMeter();
  readonly #moveThinking: ((chunk: JsonObject) => JsonObject) | undefined;
  #id: string;
  #model: string;
  #created: number;
  #finished = 0;
  isDone = false;
  hasContent = false;
  usage: UsageReading | undefined;
  isUsageShown = false;

  constructor(options: StreamOptions) {
    this.options = options;
    this.#id = options.stamp.id;
    this.#model = options.stamp.model;
    this.#created = options.stamp.createdSeconds;
    this.#moveThinking = options.thinkingToContent ? thinkingToContent() : undefined;
  }

  get isComplete(): boolean {
    return this.isDone || this.#finished >= (this.options.choices ?? 1);
  }

  get delivered(): { textOutput: number; reasoningOutput: number } {
    return this.meter.tokens;
  }

  /** Keeps the latest bill, and returns what stands in this frame. */
  keep(usage: UsageReading | undefined): UsageReading | undefined {
    const reading = withinBound(usage, this.options.usageBound);
    this.usage = reading ?? this.usage;
    return reading;
  }

  /** Learns from a chunk; true when it carries nothing but usage. */
  learn(chunk: JsonObject): boolean {
    if (typeof chunk.id === 'string' && chunk.id !== '') this.#id = chunk.id;
    if (typeof chunk.model === 'string' && chunk.model !== '') this.#model = chunk.model;
    if (typeof chunk.created === 'number' && chunk.created > 0) this.#created = chunk.created;
    const choices: unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    for (const choice of choices as JsonObject[]) {
      if (typeof choice !== 'object' || choice === null) continue;
      const piece = (typeof choice.delta === 'object' ? choice.delta : choice) as JsonObject | null;
      if (piece !== null) this.#learnPiece(piece);
      if (choice.finish_reason) this.#finished += 1;
    }
    return choices.length === 0 && Boolean(chunk.usage);
  }

  #learnPiece(piece: JsonObject): void {
    this.meter.add(piece);
    this.hasContent ||= contentFields.some((field) => Boolean(piece[field]));
  }

  write(chunk: JsonObject): string {
    return `data: ${JSON.stringify(this.#moveThinking?.(chunk) ?? chunk)}\n\n`;
  }

  usageEvent(usage: Usage): string {
    if (!this.options.wantsUsage || this.isUsageShown) return '';
    const chunk: JsonObject & { usage: OpenAiUsage } = {
      id: this.#id,
      object: this.options.object ?? 'chat.completion.chunk',
      created: this.#created,
      model: this.#model,
      choices: [],
      usage: toOpenAiUsage(usage),
    };
    return `data: ${JSON.stringify(chunk)}\n\n`;
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
    const stated = json as JsonObject;
    const error = this.#dialect.errorIn(stated);
    if (error !== undefined) throw error;
    const chunk = this.#dialect.repair?.(stated, { stamp: this.options.stamp, isChunk: true }) ?? stated;
    const reading = this.keep(this.#dialect.usageIn(stated));
    const isUsageAlone = this.learn(chunk);
    if (isUsageAlone && (!this.options.wantsUsage || reading?.trusted !== true)) return undefined;
    this.isUsageShown ||= Boolean(chunk.usage) && reading?.trusted === true;
    if (!this.#isRewritten) return frame.raw;
    return Array.isArray(chunk.choices) ? this.write(chunk) : undefined;
  }

  end(usage: Usage): Buffer | string {
    const owed = this.usageEvent(usage);
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
    let text = '';
    for (const chunk of this.#decoder.push(frame)) {
      this.learn(chunk as unknown as JsonObject);
      text += this.write(chunk as unknown as JsonObject);
    }
    this.keep(this.#decoder.usage);
    if (this.#decoder.state === 'ended') this.isDone = true;
    return text === '' ? undefined : text;
  }

  end(usage: Usage): string {
    return this.usageEvent(usage) + doneEvent;
  }
}
