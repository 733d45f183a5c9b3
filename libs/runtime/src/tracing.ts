import type { Tracing, TracingOptions } from './call-trace.ts';

/** Traces to the receiver that is named, or undefined. */
export async function startTracing({ endpoint, ...options }: TracingOptions): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { traceTo } = await import('./otlp-tracing.ts');
  return traceTo(endpoint, options);
}
