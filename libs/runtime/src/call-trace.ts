import type { Logger } from './logger.ts';

/** Attributes of a span: ids, fixed names and numbers. Never a key, a prompt or a response. */
export type TraceFacts = Record<string, string | number | boolean | undefined>;

/** The trace of a call: one span for the whole call and one for each of its consecutive phases. */
export interface CallTrace {
  /** The trace id, 32 hex characters. */
  readonly traceId: string;
  /** Starts a phase and ends the previous one. */
  phase(name: string, facts?: TraceFacts): void;
  /** Marks the current phase as failed. `reason`: a fixed term, not the message. */
  failed(reason: string): void;
  end(status: number, facts: TraceFacts): void;
}

export interface Tracing {
  /** `traceparent`: the caller's header (W3C trace context). Without a valid one, a new trace begins. */
  begin(name: string, call: { traceparent: string | undefined; atMs: number }): CallTrace;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  /** The base URL of an OTLP/HTTP receiver. Undefined: tracing is off and OpenTelemetry is not loaded. */
  endpoint: string | undefined;
  service: string;
  /** Share of calls to trace when the caller does not decide, from 0 to 1. */
  share: number;
  logger: Logger;
}
