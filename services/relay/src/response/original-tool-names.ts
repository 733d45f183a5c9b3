import type { Usage } from '@tollgate/contracts';
import { type JsonObject, type SseFrame, type WholeReading, withOriginalNames } from '@tollgate/providers';
import type { Call } from '../context/call.ts';
import type { ToldError } from '../context/errors.ts';
import type { AnswerWriter } from '../context/route.ts';

/** A writer that gets the caller's own names of tools; the same writer where the provider got them as they are. */
export function namingCallersTools(writer: AnswerWriter, { toolNames }: Pick<Call, 'toolNames'>): AnswerWriter {
  return toolNames === undefined ? writer : new RenamingWriter(writer, toolNames);
}

/** The same for a whole answer. */
export function withCallersTools(reading: WholeReading, { toolNames }: Pick<Call, 'toolNames'>): WholeReading {
  return toolNames === undefined ? reading : { ...reading, answer: withOriginalNames(reading.answer, toolNames) };
}

class RenamingWriter implements AnswerWriter {
  readonly #writer: AnswerWriter;
  readonly #names: ReadonlyMap<string, string>;

  constructor(writer: AnswerWriter, names: ReadonlyMap<string, string>) {
    this.#writer = writer;
    this.#names = names;
  }

  get keptBytes(): number {
    return this.#writer.keptBytes ?? 0;
  }

  failed(error: ToldError): string | undefined {
    return this.#writer.failed?.(error);
  }

  frame(frame: SseFrame, chunks: readonly JsonObject[]): Buffer | string | undefined {
    return this.#writer.frame(frame, this.#renamed(chunks));
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    return this.#writer.chunks(this.#renamed(chunks));
  }

  cut(): string {
    return this.#writer.cut();
  }

  end(usage: Usage): Buffer | string {
    return this.#writer.end(usage);
  }

  #renamed(chunks: readonly JsonObject[]): JsonObject[] {
    return chunks.map((chunk) => withOriginalNames(chunk, this.#names));
  }
}
