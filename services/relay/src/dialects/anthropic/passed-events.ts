import type { Usage } from '@tollgate/contracts';
import type { JsonObject, SseFrame, StreamReading } from '@tollgate/providers';
import type { AnswerWriter } from '../../context/route.ts';
import { EventWriter, eventOf, lastEvents, stopEvent } from './event-writer.ts';
import { toAnthropicUsage } from './whole-message.ts';

/**
 * Passes a provider's message events on as they came. The one that states the bill waits for the end: where less is stated than
 * is charged, the charge stands in it.
 */
export class PassedEvents implements AnswerWriter {
  readonly #reading: StreamReading;
  #bill: SseFrame | undefined;
  #lastFrame: Buffer | undefined;
  /** The block that is open, to be closed when the answer is cut. */
  #openIndex: unknown;
  #isCut = false;

  constructor(reading: StreamReading) {
    this.#reading = reading;
  }

  frame(frame: SseFrame): Buffer | string | undefined {
    if (this.#lastFrame !== undefined) return undefined;
    if (this.#reading.isDone) {
      this.#lastFrame = frame.raw;
      return undefined;
    }
    const kind = kindOf(frame);
    if (kind === 'message_delta') {
      const before = this.#bill?.raw;
      this.#bill = frame;
      return before;
    }
    if (kind === 'content_block_start') this.#openIndex = (frame.json() as JsonObject | undefined)?.index;
    else if (kind === 'content_block_stop') this.#openIndex = undefined;
    return frame.raw;
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    return new EventWriter(this.#reading).chunks(chunks);
  }

  cut(): string {
    this.#isCut = true;
    return this.#openIndex === undefined ? '' : eventOf({ type: 'content_block_stop', index: this.#openIndex });
  }

  end(usage: Usage): Buffer | string {
    if (this.#isCut || this.#bill === undefined) return lastEvents(this.#isCut ? 'max_tokens' : 'end_turn', usage);
    return this.#billOf(this.#bill, usage) + (this.#lastFrame?.toString() ?? stopEvent);
  }

  #billOf(frame: SseFrame, usage: Usage): string {
    if (this.#reading.isUsageCharged) return frame.raw.toString();
    const stated = frame.json() as JsonObject;
    return eventOf({ ...stated, type: 'message_delta', usage: { ...(stated.usage as JsonObject), ...toAnthropicUsage(usage) } });
  }
}

const named = /^\s*\{\s*"type"\s*:\s*"(\w+)"/;

/** Events are named twice; a provider that leaves the first name out says the second first. */
function kindOf(frame: SseFrame): string {
  return frame.event !== '' || !frame.hasData ? frame.event : (named.exec(frame.data.slice(0, 80))?.[1] ?? '');
}
