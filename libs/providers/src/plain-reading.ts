import { isObject, objectsIn } from './objects.ts';
import type { JsonObject, PassThrough, Stamp } from './provider.ts';
import { RepeatedJson } from './repeated-json.ts';
import type { SseFrame } from './sse.ts';
import { pieceOf, type StreamOptions, StreamReading } from './stream-reading.ts';
import { thinkingToContent } from './thinking.ts';

const nothing: readonly JsonObject[] = [];

/** What the last frame said, and will say again with other words in its pieces. */
interface Said {
  chunks: readonly JsonObject[];
  pieces: readonly JsonObject[];
}

/** A stream in the hub's own dialect: its frames are chunks, and `[DONE]` ends it. */
export class PlainReading<Request> extends StreamReading {
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
    if (this.isDone) return nothing;
    const again = this.#repeated.again(frame.raw);
    if (again === undefined) {
      if (!frame.hasData) return nothing;
      if (frame.isDone) {
        this.isDone = true;
        return nothing;
      }
    } else if (again === this.#last?.chunks[0]) return this.#again(this.#last);
    const stated = again ?? this.#repeated.anew(frame);
    this.#last = undefined;
    if (typeof stated !== 'object' || stated === null) return nothing;
    const chunks = [this.#chunkIn(stated as JsonObject)];
    if (chunks[0] === stated && !this.hasBill) this.#last = { chunks, pieces: piecesIn(chunks[0]) };
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

function piecesIn({ choices }: JsonObject): JsonObject[] {
  return objectsIn(choices).map(pieceOf).filter(isObject);
}
