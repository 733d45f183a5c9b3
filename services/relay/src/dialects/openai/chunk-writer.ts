import type { Usage } from '@tollgate/contracts';
import { isObject, isUsageAlone, type JsonObject, type SseFrame, type StreamReading, toOpenAiUsage } from '@tollgate/providers';
import type { AnswerWriter, WriterOptions } from '../../context/route.ts';

import { CallPieces } from '../tool-calls.ts';

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
  /** The request named the function that is to be called. */
  readonly #isCallNamed: boolean;
  /** How many entries each list of a choice has had; made with the first list. */
  #entries: Map<string, number> | undefined;
  /** The calls of each choice; made with the first one. */
  #calls: Map<number, CallPieces> | undefined;
  #isUsageShown = false;
  #lastFrame: Buffer | undefined;

  constructor(kind: ChunkKind, reading: StreamReading, { request, isSame }: WriterOptions) {
    this.#kind = kind;
    this.#reading = reading;
    this.#isSame = isSame;
    this.#isCallNamed = isObject(request.tool_choice);
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
    const told = this.#withCallIndexes(chunk);
    if (told !== chunk) return eventOf(this.#numbered(told));
    if (reading.isAsSent) return frame.raw;
    return Array.isArray(chunk.choices) ? eventOf(this.#numbered(chunk)) : undefined;
  }

  /** Each call of a stream under an index of its own: some providers state none, or the same one for all, and clients join pieces by it. */
  #withCallIndexes(chunk: JsonObject): JsonObject {
    const { choices } = chunk;
    if (!Array.isArray(choices) || !choices.some((choice: JsonObject | null) => callsIn(choice) !== undefined))
      return this.#withCallEnds(chunk);
    let isChanged = false;
    const numbered = choices.map((choice: JsonObject | null) => {
      const calls = callsIn(choice);
      if (calls === undefined) return choice;
      const at = typeof choice?.index === 'number' ? choice.index : 0;
      this.#calls ??= new Map();
      const known = this.#calls.get(at) ?? new CallPieces();
      this.#calls.set(at, known);
      const pieces = known.piecesIn(calls);
      if (pieces.every(({ key }, place) => (calls[place] as JsonObject).index === key)) return choice;
      isChanged = true;
      return {
        ...choice,
        delta: {
          ...(choice?.delta as JsonObject),
          tool_calls: pieces.map(({ key }, place) => ({ ...(calls[place] as JsonObject), index: key })),
        },
      };
    });
    return this.#withCallEnds(isChanged ? { ...chunk, choices: numbered } : chunk);
  }

  /** A choice that has called tools ends with `tool_calls`: clients run them for that alone. OpenAI ends with `stop` where the function was named. */
  #withCallEnds(chunk: JsonObject): JsonObject {
    const calls = this.#calls;
    if (calls === undefined || this.#isCallNamed) return chunk;
    const isWrong = (choice: JsonObject | null) => choice?.finish_reason === 'stop' && calls.has((choice.index as number | undefined) ?? 0);
    const choices = chunk.choices as (JsonObject | null)[];
    if (!Array.isArray(choices) || !choices.some(isWrong)) return chunk;
    return { ...chunk, choices: choices.map((choice) => (isWrong(choice) ? { ...choice, finish_reason: 'tool_calls' } : choice)) };
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    let text = '';
    for (const chunk of chunks) {
      const told = this.#numbered(chunk);
      text += eventOf(told.object === this.#kind.object ? told : { ...told, object: this.#kind.object });
    }
    return text === '' ? undefined : text;
  }

  /**
   * The entries of lists with an `index` each: OpenAI's own clients join lists by it, and fail on a second one without.
   * Source: https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/_deltas.py
   */
  #numbered(chunk: JsonObject): JsonObject {
    const choices = chunk.choices as (JsonObject | null)[];
    if (!choices.some((choice) => hasList(choice?.delta))) return chunk;
    return {
      ...chunk,
      choices: choices.map((choice) => {
        if (!hasList(choice?.delta)) return choice;
        const delta: JsonObject = { ...(choice?.delta as JsonObject) };
        for (const name of lists)
          if (Array.isArray(delta[name]))
            delta[name] = this.#withIndexes(delta[name], `${typeof choice?.index === 'number' ? choice.index : 0} ${name}`);
        return { ...choice, delta };
      }),
    };
  }

  #withIndexes(entries: unknown[], key: string): unknown[] {
    this.#entries ??= new Map();
    const before = this.#entries.get(key) ?? 0;
    this.#entries.set(key, before + entries.length);
    return entries.map((entry, at) => (isObject(entry) ? { index: before + at, ...entry } : entry));
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

function callsIn(choice: JsonObject | null): unknown[] | undefined {
  const calls = (choice?.delta as JsonObject | null | undefined)?.tool_calls;
  return Array.isArray(calls) && calls.length > 0 && calls.every(isObject) ? calls : undefined;
}

const lists = ['annotations', 'thinking_blocks', 'images'] as const;

function hasList(delta: unknown): boolean {
  return isObject(delta) && lists.some((name) => delta[name] !== undefined);
}

function eventOf(value: JsonObject): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
