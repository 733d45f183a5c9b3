import type { Usage } from '@tollgate/contracts';
import type { JsonObject, SseFrame, StreamReading } from '@tollgate/providers';
import type { AnswerWriter } from '../../pipeline/route.ts';
import { lastContent } from './candidates.ts';
import { ContentWriter, eventOf } from './content-writer.ts';
import { correctedUsage } from './usage.ts';

/**
 * Passes a provider's events on as they came. The last one that states the bill of a whole answer waits for the end: where less
 * is stated than is charged, the charge stands in it.
 */
export class PassedContents implements AnswerWriter {
  readonly #reading: StreamReading;
  #bill: SseFrame | undefined;
  #isCut = false;

  constructor(reading: StreamReading) {
    this.#reading = reading;
  }

  frame(frame: SseFrame): Buffer | string | undefined {
    const before = this.#bill?.raw;
    this.#bill = undefined;
    if (!this.#reading.hasBill || !this.#reading.isComplete) return before === undefined ? frame.raw : Buffer.concat([before, frame.raw]);
    this.#bill = frame;
    return before;
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    return new ContentWriter(this.#reading).chunks(chunks);
  }

  cut(): string {
    this.#isCut = true;
    return '';
  }

  end(usage: Usage): Buffer | string {
    if (this.#bill !== undefined && this.#reading.isUsageCharged) return this.#bill.raw;
    const stated = (this.#bill?.json() ?? this.#lastAnswer()) as JsonObject;
    return eventOf({ ...stated, usageMetadata: correctedUsage(stated.usageMetadata, usage) });
  }

  #lastAnswer(): JsonObject {
    const { id, model } = this.#reading.head;
    const candidate = { content: lastContent(), ...(this.#isCut && { finishReason: 'MAX_TOKENS' }), index: 0 };
    return { candidates: [candidate], modelVersion: model, responseId: id };
  }
}
