import { EventReading } from './event-reading.ts';
import type { Delivered } from './output-meter.ts';
import { PlainReading } from './plain-reading.ts';
import type { ChunkDecoder, JsonObject, PassThrough, Translation } from './provider.ts';
import { unreadable } from './read-answer-shape.ts';
import type { SseFrame } from './sse.ts';
import { type StreamOptions, StreamReading } from './stream-reading.ts';
import { thinkingToContent } from './thinking.ts';

const nothing: readonly JsonObject[] = [];

/** A stream in a dialect of the provider's own, translated. */
class TranslatedReading extends StreamReading {
  readonly #decoder: ChunkDecoder;
  readonly #moveThinking: ((chunk: JsonObject) => JsonObject) | undefined;
  #unchunked = 0;

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

  override get delivered(): Delivered {
    const { searches } = this.#decoder;
    return searches ? { ...super.delivered, searches } : super.delivered;
  }

  read(frame: SseFrame): readonly JsonObject[] {
    this.hasBill = false;
    if (this.isDone || !frame.hasData) return nothing;
    const billBefore = this.#decoder.usage;
    const said: JsonObject[] = this.#decoder.push(frame);
    for (const chunk of said) this.learn(chunk);
    const { unchunked = 0 } = this.#decoder;
    if (unchunked !== this.#unchunked) {
      this.#unchunked = unchunked;
      this.news += 1;
    }
    if (this.#decoder.usage !== billBefore) this.keep(this.#decoder.usage);
    if (this.#decoder.state === 'ended') this.isDone = true;
    const chunks = this.isBroken ? said.map((chunk) => this.told(chunk)) : said;
    return this.#moveThinking === undefined ? chunks : chunks.map(this.#moveThinking);
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
