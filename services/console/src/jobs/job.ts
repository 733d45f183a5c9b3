import type { z } from 'zod';
import type { Context } from '../context.ts';

/**
 * Work that outlives the request that asked for it. It may be run again from the beginning, by another console too: when this one
 * stops or dies, and after a failure. So a job is safe to repeat, and an item that fails does not stop the rest.
 */
export interface Job<Data extends z.ZodType = z.ZodType> {
  /** A command, such as `probe-all`. */
  name: string;
  /** Of what it works on; data that does not fit fails at once, for good. */
  data: Data;
  /** Never two at once over all consoles, those that wait among them. */
  alone: boolean;
  /** How often it is tried, with growing pauses, until it has failed. */
  attempts: number;
  /** The pause after the first failure, 2 s if not said; each further one is twice as long. */
  firstPauseMs?: number;
  /**
   * How long from one run to the next, in milliseconds, a twentieth more or less; 0 is never. Its data is `{}` then, and it runs alone. What the
   * options say counts from the moment they change; a run that lasts longer than that leaves the next ones out.
   */
  everyMs?(context: Context): number;
  /** Does it. `signal` says that this console stops, or is no longer the one that runs it: end soon, by throwing. */
  handle(context: Context, data: z.output<Data>, signal: AbortSignal): Promise<void>;
}

/** A job with its data typed. */
export function job<Data extends z.ZodType>(definition: Job<Data>): Job<Data> {
  return definition;
}
