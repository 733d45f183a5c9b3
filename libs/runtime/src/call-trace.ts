import type { Logger } from './logger.ts';

/** What stands beside a span: ids, names of ours and numbers. Never a key, a prompt or an answer. */
export type TraceFacts = Record<string, string | number | boolean | undefined>;

/** One call as a trace: a span for the whole of it, and one for each of its phases, which follow one another. */
export interface CallTrace {
  /** By which it is found, 32 hex characters. */
  readonly traceId: string;
  /** The phase before ends here. */
  phase(name: string, facts?: TraceFacts): void;
  /** The phase under way has failed. `reason`: a word of ours, not the message. */
  failed(reason: string): void;
  end(status: number, facts: TraceFacts): void;
}

export interface Tracing {
  /** `traceparent`: the caller's header (W3C trace context); without one, or with one that cannot be read, a trace of its own begins. */
  begin(name: string, call: { traceparent: string | undefined; atMs: number }): CallTrace;
  /** Sends what is left. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** The base address of an OTLP/HTTP receiver; undefined: nothing is traced, and nothing of OpenTelemetry is loaded. */
  endpoint: string | undefined;
  service: string;
  /** How many of the calls whose caller does not say are traced, from 0 to 1. */
  share: number;
  logger: Logger;
}
