import { noUsage } from '@tollgate/contracts';
import { type ChatRequest, type JsonObject, openStreamReading, outgoing, readWhole, serverSentEvents } from '@tollgate/providers';
import type { RelayRoute, SentRequest } from '../../src/context/route.ts';
import { messagesRoute } from '../../src/dialects/anthropic/anthropic.ts';
import { generateRoute } from '../../src/dialects/gemini/gemini.ts';
import { chatRoute } from '../../src/dialects/openai/routes.ts';
import { responsesRoute } from '../../src/dialects/responses/responses.ts';
import { dialectOf, targetOf } from './four-corners.ts';

export const routes = {
  openai: chatRoute as unknown as RelayRoute,
  anthropic: messagesRoute as unknown as RelayRoute,
  gemini: generateRoute as unknown as RelayRoute,
  responses: responsesRoute as unknown as RelayRoute,
};
export type CallerName = keyof typeof routes;
export const callerNames = Object.keys(routes) as CallerName[];

export interface Upstream {
  type: number;
  model: string;
  baseUrl?: string;
}

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'stamped-model' };

/** A caller's question, as a provider is sent it: all as text, so that no digit is lost on the way to the test. */
export function toldTo(upstream: Upstream, caller: CallerName, body: string): string {
  return sentTo(upstream, caller, body).body;
}

/** The same, with the fields that `x-tollgate-changed` lists. */
export function sentTo({ type, model, ...where }: Upstream, caller: CallerName, text: string): { body: string; changed: string[] } {
  const address = caller === 'gemini' ? { model: 'm' } : {};
  const sent: SentRequest = { bytes: Buffer.from(text), long: undefined, json: JSON.parse(text) as JsonObject, address };
  const request = routes[caller].read(sent) as ChatRequest;
  const dialect = dialectOf(type, 'chat', model);
  sent.unsupported?.insist();
  const isTranslated = dialect.speaks !== routes[caller].dialect.name;
  if (sent.unsupported?.what !== undefined && isTranslated) throw sent.unsupported.refusal(model);
  const {
    body,
    changed = [],
    leftOut = [],
  } = outgoing(dialect, {
    ...sent,
    speaks: routes[caller].dialect.name,
    request,
    target: { ...targetOf(type, model), ...where },
  });
  return { body: body.toString(), changed: [...changed, ...leftOut, ...(isTranslated ? (sent.unsupported?.leftOut ?? []) : [])] };
}

/** A provider's whole answer, as a caller gets it. */
export function wholeFor(caller: CallerName, { type, model }: Upstream, body: string): string {
  const { dialect, whole } = routes[caller];
  const reading = readWhole(dialectOf(type, 'chat', model), Buffer.from(body), { stamp, speaks: dialect.name });
  return whole(reading, reading.usage?.trusted ? reading.usage.usage : noUsage, {}).toString();
}

/** And his stream. */
export function streamFor(caller: CallerName, { type, model }: Upstream, events: readonly string[]): string {
  const dialect = dialectOf(type, 'chat', model);
  const reading = openStreamReading(dialect, { stamp });
  const request = { model: 'm', stream: true };
  const words = routes[caller].writer(reading, { request, sent: request, isSame: dialect.speaks === routes[caller].dialect.name });
  let text = '';
  for (const frame of (dialect.framing ?? serverSentEvents).open().push(Buffer.from(events.map((data) => `data: ${data}\n\n`).join('')))) {
    text += words.frame(frame, reading.read(frame))?.toString() ?? '';
  }
  return text + words.end(noUsage).toString();
}
