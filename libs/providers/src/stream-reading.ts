import type { Usage } from '@tollgate/contracts';
import { type Delivered, OutputMeter } from './output-meter.ts';
import type { JsonObject, Stamp, UsageReading } from './provider.ts';
import { notBelow, withinBound } from './usage-reading.ts';

/** What a streamed answer has taught so far, chunk by chunk, whoever it is written for. */
export class StreamReading {
  readonly #meter = new OutputMeter();
  readonly #usageBound: number | undefined;
  readonly #finished = new Set<unknown>();
  #newsAtUsage = 0;
  /** What the answer's chunks are signed with. */
  head: Stamp;
  /** How many pieces have said something. */
  news = 0;
  /** The provider's own bill so far. */
  usage: UsageReading | undefined;

  constructor(stamp: Stamp, usageBound: number | undefined) {
    this.head = stamp;
    this.#usageBound = usageBound;
  }

  /** How many choices have their finish reason. */
  get finishedChoices(): number {
    return this.#finished.size;
  }

  get delivered(): Delivered {
    return this.#meter.tokens;
  }

  /** Nothing has been delivered since the provider stated its bill. */
  get isUsageLast(): boolean {
    return this.news === this.#newsAtUsage;
  }

  /** Whether the provider's bill may be shown: it is believed, and less than it is not charged. */
  get isUsageCharged(): boolean {
    const { usage } = this;
    return usage?.trusted === true && this.#raised(usage.usage) === usage.usage;
  }

  #raised(usage: Usage): Usage {
    return notBelow(this.delivered, usage, { isLast: this.isUsageLast });
  }

  /** Learns from a chunk of OpenAI's shape; true when it carries nothing but usage. */
  learn(chunk: JsonObject): boolean {
    this.#learnHead(chunk);
    const choices: unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    for (const choice of choices as (JsonObject | null)[]) {
      if (typeof choice !== 'object' || choice === null) continue;
      const piece = (typeof choice.delta === 'object' ? choice.delta : choice) as JsonObject | null;
      if (piece !== null && this.#meter.add(piece)) this.news += 1;
      if (choice.finish_reason) this.#finished.add(choice.index ?? 0);
    }
    return choices.length === 0 && Boolean(chunk.usage);
  }

  #learnHead({ id, model, created }: JsonObject): void {
    const { head } = this;
    if (id === head.id && model === head.model && created === head.createdSeconds) return;
    this.head = {
      id: typeof id === 'string' && id !== '' ? id : head.id,
      model: typeof model === 'string' && model !== '' ? model : head.model,
      createdSeconds: typeof created === 'number' && created > 0 ? created : head.createdSeconds,
    };
  }

  /** Keeps the latest bill, after `learn` of what came with it, and returns what stands in this frame. */
  keep(usage: UsageReading | undefined): UsageReading | undefined {
    const reading = withinBound(usage, this.#usageBound);
    if (reading === undefined) return undefined;
    this.usage = reading;
    this.#newsAtUsage = this.news;
    return reading;
  }
}
