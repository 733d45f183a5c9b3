import type { Delivered } from './output-meter.ts';
import type { JsonObject, PassThrough } from './provider.ts';
import type { SseFrame } from './sse.ts';
import { type StreamOptions, StreamReading } from './stream-reading.ts';

/**
 * A stream of named events that are no pieces of choices: pictures, speech, transcripts. It is whole when as many of its answers as were
 * asked for have been told by a last event (`...completed`, `...done`).
 */
export class EventReading<Request> extends StreamReading {
  readonly #dialect: PassThrough<Request>;
  readonly #answers: number;
  #ended = 0;
  #markedEnded = 0;

  constructor(dialect: PassThrough<Request>, options: StreamOptions) {
    super(options, true);
    this.#dialect = dialect;
    this.#answers = options.choices ?? 1;
  }

  override get isComplete(): boolean {
    return this.isDone || this.#ended >= this.#answers;
  }

  override get hasAnswer(): boolean {
    return this.news > 0;
  }

  override get delivered(): Delivered {
    return { ...super.delivered, pieces: this.#ended };
  }

  override mark(): void {
    super.mark();
    this.#markedEnded = this.#ended;
  }

  override get marked(): Delivered {
    return { ...super.marked, pieces: this.#markedEnded };
  }

  read(frame: SseFrame): readonly JsonObject[] {
    this.hasBill = false;
    if (this.isDone || !frame.hasData) return [];
    if (frame.isDone) {
      this.isDone = true;
      return [];
    }
    const event = frame.json();
    if (typeof event !== 'object' || event === null) return [];
    this.#learnEvent(event as JsonObject);
    return [event as JsonObject];
  }

  #learnEvent(event: JsonObject): void {
    const error = this.#dialect.errorIn(event);
    if (error !== undefined) throw error;
    this.news += 1;
    if (typeof event.delta === 'string') this.meter.add({ content: event.delta });
    if (typeof event.type === 'string' && /\.(?:completed|done)$/.test(event.type)) this.#ended += 1;
    this.keep(this.#dialect.usageIn(event));
  }
}
