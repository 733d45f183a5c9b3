import type { SseEvent } from './sse.ts';

/** A provider's whole answer in his own words, put together from the events of its stream. */
export interface OwnWhole {
  add(event: SseEvent): void;
  /** undefined where they do not say one. */
  readonly answer: Record<string, unknown> | undefined;
}
