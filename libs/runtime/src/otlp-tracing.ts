import { type Attributes, type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { withoutEndSlashes } from '@tollgate/contracts';
import type { CallTrace, TraceFacts, Tracing, TracingOptions } from './call-trace.ts';

const sendEveryMs = 1_000;

/** Sends spans to an OTLP/HTTP receiver in batches. If the receiver is down, its spans are lost and nothing else. */
export function traceTo(endpoint: string, { service, share, logger }: Omit<TracingOptions, 'endpoint'>): Tracing {
  setGlobalErrorHandler((error) => logger.warn({ err: error }, 'traces could not be sent'));
  const exporter = new OTLPTraceExporter({ url: `${withoutEndSlashes(endpoint)}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `tollgate-${service}` }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendEveryMs })],
  });
  const tracer = provider.getTracer('tollgate');

  function begin(name: string, { traceparent, atMs }: { traceparent: string | undefined; atMs: number }): CallTrace {
    const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
    const outside = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
    const whole = tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: atMs }, outside);
    const inside: Context = trace.setSpan(outside, whole);
    let current: Span | undefined;
    return {
      traceId: whole.spanContext().traceId,
      phase(phaseName, facts = {}) {
        current?.end();
        current = tracer.startSpan(phaseName, { attributes: attributesOf(facts) }, inside);
      },
      failed: (reason) => void current?.setStatus({ code: SpanStatusCode.ERROR, message: reason }),
      end(status, facts) {
        current?.end();
        whole.setAttributes({ 'http.response.status_code': status, ...attributesOf(facts) });
        if (status >= 500) whole.setStatus({ code: SpanStatusCode.ERROR });
        whole.end();
      },
    };
  }

  return { begin, stop: () => provider.shutdown() };
}

function attributesOf(facts: TraceFacts): Attributes {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
