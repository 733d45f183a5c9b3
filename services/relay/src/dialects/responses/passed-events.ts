import type { Usage } from '@tollgate/contracts';
import type { JsonObject, SseFrame, StreamReading } from '@tollgate/providers';
import type { AnswerWriter, WriterOptions } from '../../pipeline/route.ts';
import { EventWriter } from './event-writer.ts';
import { toResponsesUsage } from './usage.ts';

/**
 * Passes a provider's events on as they came. The last one, which holds the whole response and states the bill, waits for the end: where
 * less is stated than is charged, the charge stands in it.
 */
export class PassedEvents implements AnswerWriter {
  events = 0;
  readonly #reading: StreamReading;
  readonly #options: Pick<WriterOptions, 'sent'>;
  /** The response as it was when it began, and what of it is done, to be told when the answer is cut. */
  #begun: JsonObject = {};
  readonly #done: unknown[] = [];
  #last: SseFrame | undefined;
  #isCut = false;

  constructor(reading: StreamReading, options: Pick<WriterOptions, 'sent'>) {
    this.#reading = reading;
    this.#options = options;
  }

  frame(frame: SseFrame): Buffer | string | undefined {
    if (this.#last !== undefined) return undefined;
    if (this.#reading.isDone) {
      this.#last = frame;
      return undefined;
    }
    if (frame.hasData) this.events += 1;
    if (frame.event === 'response.created') this.#begun = (told(frame).response as JsonObject | undefined) ?? {};
    else if (frame.event === 'response.output_item.done') this.#done.push(told(frame).item);
    return frame.raw;
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    return new EventWriter(this.#reading, this.#options).chunks(chunks);
  }

  cut(): string {
    this.#isCut = true;
    return '';
  }

  end(usage: Usage): Buffer | string {
    const last = this.#isCut ? undefined : this.#last;
    if (last === undefined) return this.#cutShort(usage);
    if (this.#reading.isUsageCharged) return last.raw;
    const stated = told(last);
    return eventOf({
      ...stated,
      type: typeof stated.type === 'string' ? stated.type : last.event,
      response: { ...(stated.response as JsonObject), usage: toResponsesUsage(usage) },
    });
  }

  #cutShort(usage: Usage): string {
    const how = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const response = { ...this.#begun, ...how, output: this.#done, usage: toResponsesUsage(usage) };
    return eventOf({ type: 'response.incomplete', sequence_number: this.events, response });
  }
}

/** What an event says; one that is no JSON says nothing. */
function told(frame: SseFrame): JsonObject {
  return (frame.json() ?? {}) as JsonObject;
}

function eventOf(event: JsonObject & { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
