import { noUsage, type Usage } from '@tollgate/contracts';
import {
  type ChatMessage,
  compactionSealed,
  type JsonObject,
  objectsIn,
  patchJson,
  type StreamReading,
  type WholeReading,
} from '@tollgate/providers';
import type { ClientError } from '../../context/errors.ts';
import type { AnswerWriter, WriterOptions } from '../../context/route.ts';
import { textOf } from '../tool-calls.ts';
import {
  cutShortBy,
  type Envelope,
  envelopeOf,
  eventOf,
  failureEvents,
  itemId,
  responseObject,
  toResponsesUsage,
} from './response-object.ts';

/** The item that requests a compaction within an ordinary request: https://developers.openai.com/api/docs/guides/compaction */
const trigger = 'compaction_trigger';

const instruction =
  'Summarize the conversation that follows so that another model can continue it without having seen it. Keep the goals and constraints of the ' +
  'user, decisions and their reasons, facts, names, paths, code and tool results that are still needed, and what remains to be done. Answer with ' +
  'the summary only.';

export function isTrigger(item: JsonObject): boolean {
  return item.type === trigger;
}

/** Whether a request is for a compaction instead of an answer. */
export function asksCompaction({ input }: JsonObject): boolean {
  return Array.isArray(input) && objectsIn(input).some(isTrigger);
}

/** A conversation as the request for its summary. As one text, it needs no tools, signatures or files, which providers would check. */
export function summaryRequest(messages: readonly ChatMessage[]): ChatMessage[] {
  return [
    { role: 'system', content: instruction },
    { role: 'user', content: messages.map(transcript).join('\n\n') },
  ];
}

function transcript({ role, content, tool_calls: calls }: ChatMessage): string {
  const parts = typeof content === 'string' ? [content] : (content ?? []).map((part) => part.text ?? `(${String(part.type)})`);
  const called = (calls ?? []).map(({ function: named }) => `calls ${named?.name}: ${named?.arguments}`);
  return `[${role}] ${[...parts, ...called].join('\n')}`;
}

/** A whole answer to such a request as the response that holds the compaction. */
export function compactedResponse(
  answer: JsonObject,
  { head, charged, envelope }: { head: WholeReading['head']; charged: Usage; envelope: Envelope },
): Buffer {
  const output = [compactionItem(envelope, summaryIn(answer))];
  const outcome = { status: 'completed', output, tier: answer.service_tier, usage: toResponsesUsage(charged) } as const;
  return Buffer.from(JSON.stringify(responseObject(head, envelope, outcome)));
}

/** The answer of POST /v1/responses/compact. A provider's own stays as it came. */
export function wholeCompaction(
  reading: WholeReading,
  charged: Usage,
  sent: JsonObject,
  envelope = envelopeOf(sent, reading.head.id),
): Buffer {
  const { body, usage, head, answer } = reading;
  const shown = toResponsesUsage(charged);
  if (body !== undefined) {
    const isStated = usage?.trusted === true && usage.usage === charged;
    return isStated ? body : patchJson(body, { set: { usage: shown } });
  }
  const output = [compactionItem(envelope, summaryIn(answer))];
  const { createdSeconds } = head;
  return Buffer.from(JSON.stringify({ id: envelope.id, object: 'response.compaction', created_at: createdSeconds, output, usage: shown }));
}

function summaryIn(answer: JsonObject): string {
  const [choice] = objectsIn(answer.choices);
  return textOf((choice?.message as JsonObject | undefined)?.content);
}

function compactionItem({ id }: Envelope, summary: string): JsonObject {
  return { id: itemId('cmp', String(id), 0), type: 'compaction', encrypted_content: compactionSealed(summary) };
}

/** Writes a streamed summary as a response with one compaction item, which is sent when it is complete. */
export class CompactionWriter implements AnswerWriter {
  readonly #reading: StreamReading;
  readonly #envelope: Envelope;
  #summary = '';
  #finishReason: unknown;
  #isBegun = false;
  #events = 0;

  constructor(reading: StreamReading, { sent, envelope }: Pick<WriterOptions, 'sent' | 'envelope'>) {
    this.#reading = reading;
    this.#envelope = envelope ?? envelopeOf(sent, reading.head.id);
  }

  get keptBytes(): number {
    return this.#summary.length;
  }

  frame(_frame: unknown, chunks: readonly JsonObject[]): string | undefined {
    return this.chunks(chunks);
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    for (const [choice] of chunks.map((chunk) => objectsIn(chunk.choices))) {
      this.#summary += textOf((choice?.delta as JsonObject | undefined)?.content);
      this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    }
    return this.#begin() || undefined;
  }

  cut(): string {
    this.#finishReason = 'length';
    return '';
  }

  end(usage: Usage): string {
    const item = compactionItem(this.#envelope, this.#summary);
    const reason = cutShortBy(this.#finishReason);
    const status = reason === undefined ? 'completed' : 'incomplete';
    return (
      this.#begin() +
      this.#event({ type: 'response.output_item.added', output_index: 0, item }) +
      this.#event({ type: 'response.output_item.done', output_index: 0, item }) +
      this.#event({ type: `response.${status}`, response: this.#response(status, { reason, output: [item], usage }) })
    );
  }

  failed(error: ClientError): string {
    return failureEvents(error, this.#response('failed', {}), this.#events);
  }

  #begin(): string {
    if (this.#isBegun) return '';
    this.#isBegun = true;
    const response = this.#response('in_progress', {});
    return this.#event({ type: 'response.created', response }) + this.#event({ type: 'response.in_progress', response });
  }

  #response(
    status: 'in_progress' | 'completed' | 'incomplete' | 'failed',
    { reason, output = [], usage }: { reason?: string | undefined; output?: JsonObject[]; usage?: Usage },
  ): JsonObject {
    const hasEnded = status === 'completed' || status === 'incomplete';
    const bill = hasEnded ? toResponsesUsage(usage ?? noUsage) : null;
    return responseObject(this.#reading.head, this.#envelope, { status, reason, output, tier: undefined, usage: bill });
  }

  #event({ type, ...rest }: JsonObject & { type: string }): string {
    const text = eventOf({ type, sequence_number: this.#events, ...rest });
    this.#events += 1;
    return text;
  }
}
