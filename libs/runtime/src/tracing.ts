import type { Tracing, TracingOptions } from './call-trace.ts';

/** Starts tracing to the configured receiver; undefined when there is none. */
export async function startTracing({ endpoint, ...options }: TracingOptions): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  const { traceTo } = await import('./otlp-tracing.ts');
  return traceTo(endpoint, options);
}
