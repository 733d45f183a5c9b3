import { errorFrom, statedError } from '../error-text.ts';
import { isObject, objectOf } from '../objects.ts';
import type { OwnWhole } from '../own-whole.ts';
import type { ChunkDecoder, JsonObject, Stamp, UsageReading } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';
import type { SseEvent } from '../sse.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { chatChunk, chatResponse, endOf } from './chunk.ts';
import type { ChatChunk, ChatDelta, ChatResponse, FinishReason, ToolCall } from './types.ts';
import { openAiUsageIn } from './usage.ts';

/** A whole response as a chat answer. Throws: UpstreamError when it failed, or is none. Source: https://platform.openai.com/docs/api-reference/responses/object */
export function decodeResponse(body: JsonObject, stamp: Stamp): ChatResponse {
  if (body.status === 'failed') throw failureIn(body);
  if (!Array.isArray(body.output)) throw unreadable();
  const items = objectsIn(body.output);
  const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsIn(content));
  const refusal = parts.map(({ refusal: said }) => textOf(said)).join('');
  const thought = items
    .filter(({ type }) => type === 'reasoning')
    .flatMap(({ summary, content }) => [...objectsIn(summary), ...objectsIn(content)]);
  return chatResponse(headOf(body, stamp), [
    {
      text: parts.map(({ text }) => textOf(text)).join(''),
      reasoning: thought.map(({ text }) => textOf(text)).join(''),
      toolCalls: items.filter(({ type }) => type === 'function_call').map(toToolCall),
      finishReason: finishReasonOf(body),
      extra: refusal === '' ? undefined : { refusal },
    },
  ]);
}

/** Parts and items that begin empty: their content comes in events of its own. */
const emptyParts = new Set(['response.content_part.added', 'response.reasoning_summary_part.added']);
const emptyItems = new Set<unknown>(['message', 'reasoning']);

/** Whether an event tells something of an item, also of kinds that are not known yet. */
function hasContent(type: string, { item, item_id: itemId }: JsonObject): boolean {
  if (!type.startsWith('response.') || emptyParts.has(type)) return false;
  if (isObject(item)) return type !== 'response.output_item.added' || !emptyItems.has(item.type);
  return typeof itemId === 'string';
}

/**
 * The events of Responses as chat chunks. The last one is read for what none has told before.
 * Throws: UpstreamError on `response.failed` and `error`.
 * Source: https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function decodeStream(stamp: Stamp): ChunkDecoder {
  let head = stamp;
  let usage: UsageReading | undefined;
  let state: ChunkDecoder['state'] = 'open';
  let hasSaid = false;
  let unchunked = 0;
  const calls = new Map<unknown, number>();
  const content = ({ delta }: JsonObject) => (textOf(delta) === '' ? [] : [chatChunk(head, { content: textOf(delta) })]);
  const thought = ({ delta }: JsonObject) => (textOf(delta) === '' ? [] : [chatChunk(head, { reasoning_content: textOf(delta) })]);
  const ended = ({ response }: JsonObject) => {
    const whole = objectOf(response);
    state = 'ended';
    usage = openAiUsageIn(whole);
    if (!hasSaid && Array.isArray(whole.output)) return chunksOf(decodeResponse(whole, head), head);
    return [chatChunk(head, {}, { finishReason: endOf(finishReasonOf(whole), calls.size > 0) })];
  };
  const handlers: Record<string, (event: JsonObject) => ChatChunk[]> = {
    'response.created': ({ response }) => {
      head = headOf(objectOf(response), stamp);
      return [chatChunk(head, { role: 'assistant', content: '' })];
    },
    'response.output_text.delta': content,
    'response.refusal.delta': ({ delta }) => [chatChunk(head, { refusal: textOf(delta) })],
    'response.reasoning_summary_text.delta': thought,
    'response.reasoning_text.delta': thought,
    'response.output_item.added'({ item }) {
      const { type, id, call_id: callId, name } = objectOf(item);
      if (type !== 'function_call') return [];
      const index = calls.size;
      calls.set(id, index);
      const called = { name: textOf(name), arguments: '' };
      return [chatChunk(head, { tool_calls: [{ index, id: textOf(callId), type: 'function', function: called }] })];
    },
    'response.function_call_arguments.delta'({ item_id: id, delta }) {
      const index = calls.get(id);
      return index === undefined ? [] : [chatChunk(head, { tool_calls: [{ index, function: { arguments: textOf(delta) } }] })];
    },
    'response.completed': ended,
    'response.incomplete': ended,
    'response.failed': ({ response }) => {
      throw failureIn(objectOf(response));
    },
    error: (event) => {
      throw errorFrom(statedError({ error: event.error ?? { ...event, type: event.code } }), { status: 200 });
    },
  };
  return {
    push(event: SseEvent) {
      const data = parse(event.data);
      const type = typeof data?.type === 'string' ? data.type : event.event;
      const chunks = data !== undefined && Object.hasOwn(handlers, type) ? (handlers[type]?.(data) ?? []) : [];
      hasSaid ||= chunks.length > 0 && type.endsWith('.delta');
      if (chunks.length === 0 && data !== undefined && state === 'open' && hasContent(type, data)) unchunked += 1;
      return chunks;
    },
    get unchunked() {
      return unchunked;
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
  };
}

/** The whole response, which the last of its events holds. */
export function collectedResponse(): OwnWhole {
  let answer: JsonObject | undefined;
  return {
    add({ event, data }) {
      const said = parse(data);
      const type = typeof said?.type === 'string' ? said.type : event;
      if (type === 'response.completed' || type === 'response.incomplete') answer = said && objectOf(said.response);
    },
    get answer() {
      return Array.isArray(answer?.output) ? answer : undefined;
    },
  };
}

function headOf({ id, model, created_at: created }: JsonObject, stamp: Stamp): Stamp {
  return {
    id: textOf(id) || stamp.id,
    model: textOf(model) || stamp.model,
    createdSeconds: typeof created === 'number' && created > 0 ? created : stamp.createdSeconds,
  };
}

function finishReasonOf({ status, incomplete_details: details }: JsonObject): FinishReason {
  if (status !== 'incomplete') return 'stop';
  return objectOf(details).reason === 'content_filter' ? 'content_filter' : 'length';
}

function failureIn(response: JsonObject): UpstreamError {
  return errorFrom(statedError({ error: response.error }), { status: 200 });
}

function chunksOf({ choices }: ChatResponse, head: Stamp): ChatChunk[] {
  return choices.map(({ message, finish_reason: finishReason }) => chatChunk(head, message as ChatDelta, { finishReason }));
}

function toToolCall({ call_id: id, name, arguments: args }: JsonObject, index: number): ToolCall {
  return { index, id: textOf(id), type: 'function', function: { name: textOf(name), arguments: textOf(args) } };
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parse(data: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(data));
  } catch {
    return undefined; // an event that is no JSON is none of those we know
  }
}
