import type { Usage } from '@tollgate/contracts';
import { isUsageAlone, type JsonObject, type SseFrame, type StreamReading, toOpenAiUsage } from '@tollgate/providers';
import type { AnswerWriter, WriterOptions } from '../../pipeline/route.ts';

/** What a piece of a stream is called, and how it says nothing more than that it ends. */
export interface ChunkKind {
  object: 'chat.completion.chunk' | 'text_completion';
  emptyPiece: JsonObject;
}

export const chatChunks: ChunkKind = { object: 'chat.completion.chunk', emptyPiece: { delta: {} } };
export const completionChunks: ChunkKind = { object: 'text_completion', emptyPiece: { text: '' } };

const doneEvent = 'data: [DONE]\n\n';

/** Writes a stream as OpenAI does. Frames travel untouched where the provider speaks so and nothing has to change in them. */
export class ChunkWriter implements AnswerWriter {
  readonly #kind: ChunkKind;
  readonly #reading: StreamReading;
  readonly #isSame: boolean;
  readonly #wantsUsage: boolean;
  #isUsageShown = false;
  #lastFrame: Buffer | undefined;

  constructor(kind: ChunkKind, reading: StreamReading, { request, isSame }: WriterOptions) {
    this.#kind = kind;
    this.#reading = reading;
    this.#isSame = isSame;
    this.#wantsUsage = request.stream_options?.include_usage === true;
  }

  frame(frame: SseFrame, chunks: readonly JsonObject[]): Buffer | string | undefined {
    if (!this.#isSame) return this.chunks(chunks);
    if (this.#lastFrame !== undefined) return undefined;
    const [chunk] = chunks;
    if (chunk !== undefined) return this.#passed(frame, chunk);
    if (!frame.hasData) return frame.raw; // keep-alive comments help the caller's proxies too
    if (this.#reading.isDone) this.#lastFrame = frame.raw;
    return this.#lastFrame === undefined && this.#reading.isAsSent ? frame.raw : undefined;
  }

  #passed(frame: SseFrame, chunk: JsonObject): Buffer | string | undefined {
    const reading = this.#reading;
    const isCharged = reading.hasBill && reading.isUsageCharged;
    if (isUsageAlone(chunk) && !(this.#wantsUsage && isCharged && reading.isComplete)) return undefined;
    this.#isUsageShown ||= isCharged && Boolean(chunk.usage);
    if (reading.isAsSent) return frame.raw;
    return Array.isArray(chunk.choices) ? eventOf(chunk) : undefined;
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    let text = '';
    for (const chunk of chunks) text += eventOf(chunk.object === this.#kind.object ? chunk : { ...chunk, object: this.#kind.object });
    return text === '' ? undefined : text;
  }

  cut(): string {
    return this.#event([{ index: 0, ...this.#kind.emptyPiece, logprobs: null, finish_reason: 'length' }]);
  }

  end(usage: Usage): Buffer | string {
    const isOwed = this.#wantsUsage && !(this.#isUsageShown && this.#reading.isUsageCharged);
    if (!isOwed) return this.#lastFrame ?? doneEvent;
    return this.#event([], { usage: toOpenAiUsage(usage) }) + doneEvent;
  }

  #event(choices: JsonObject[], more: JsonObject = {}): string {
    const { id, createdSeconds, model } = this.#reading.head;
    return eventOf({ id, object: this.#kind.object, created: createdSeconds, model, choices, ...more });
  }
}

function eventOf(value: JsonObject): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
