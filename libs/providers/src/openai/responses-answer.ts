import { errorFrom, statedError } from '../error-text.ts';
import { isObject, objectOf, objectsIn } from '../objects.ts';
import type { OwnWhole } from '../own-whole.ts';
import type { ChunkDecoder, JsonObject, Stamp, UsageReading } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';
import type { SseEvent } from '../sse.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { isSearch } from '../web-search.ts';
import { urlCitation } from './annotations.ts';
import { chatChunk, chatResponse, endOf } from './chunk.ts';
import { thinkingBlockOf } from './responses-reasoning.ts';
import type { ChatChunk, ChatDelta, ChatResponse, FinishReason, Likelihoods, ToolCall } from './types.ts';
import { responsesUsageIn } from './usage.ts';

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
  const signed = items.filter(({ type }) => type === 'reasoning').flatMap((item) => thinkingBlockOf(item, summaryOf(item)) ?? []);
  const annotations = parts.flatMap(({ annotations: notes }) => objectsIn(notes).flatMap(toAnnotation));
  return chatResponse(headOf(body, stamp), [
    {
      text: parts.map(({ text }) => textOf(text)).join(''),
      reasoning: thought.map(({ text }) => textOf(text)).join(''),
      toolCalls: items.filter(isCall).map(toToolCall),
      finishReason: finishReasonOf(body),
      likelihoods: toLikelihoods(parts.flatMap(({ logprobs }) => objectsIn(logprobs))),
      extra: {
        ...(refusal !== '' && { refusal }),
        ...(signed.length > 0 && { thinking_blocks: signed }),
        ...(annotations.length > 0 && { annotations }),
      },
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
  let searches = 0;
  const calls = new Map<unknown, number>();
  const content = ({ delta, logprobs }: JsonObject) => {
    if (textOf(delta) === '') return [];
    return [chatChunk(head, { content: textOf(delta) }, { likelihoods: toLikelihoods(objectsIn(logprobs)) })];
  };
  const called = (type: 'function' | 'custom') => (event: JsonObject) => {
    const index = calls.get(event.item_id);
    if (index === undefined) return [];
    const piece = type === 'function' ? { function: { arguments: textOf(event.delta) } } : { custom: { input: textOf(event.delta) } };
    return [chatChunk(head, { tool_calls: [{ index, ...piece } as ToolCall] })];
  };
  const thought = ({ delta }: JsonObject) => (textOf(delta) === '' ? [] : [chatChunk(head, { reasoning_content: textOf(delta) })]);
  const ended = ({ response }: JsonObject) => {
    const whole = objectOf(response);
    state = 'ended';
    usage = responsesUsageIn(whole);
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
      const begun = objectOf(item);
      if (!isCall(begun)) return [];
      const index = calls.size;
      calls.set(begun.id, index);
      return [chatChunk(head, { tool_calls: [toToolCall({ ...begun, arguments: '', input: '' }, index)] })];
    },
    'response.function_call_arguments.delta': called('function'),
    'response.custom_tool_call_input.delta': called('custom'),
    'response.output_item.done'({ item }) {
      const whole = objectOf(item);
      if (isSearch(whole)) searches += 1;
      const block = whole.type === 'reasoning' ? thinkingBlockOf(whole, summaryOf(whole)) : undefined;
      return block === undefined ? [] : [chatChunk(head, { thinking_blocks: [block] })];
    },
    'response.output_text.annotation.added': ({ annotation }) => {
      const annotations = toAnnotation(objectOf(annotation));
      return annotations.length === 0 ? [] : [chatChunk(head, { annotations })];
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
    get searches() {
      return searches;
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

function isCall({ type }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function toToolCall({ type, call_id: id, name, arguments: args, input }: JsonObject, index: number): ToolCall {
  if (type !== 'custom_tool_call')
    return { index, id: textOf(id), type: 'function', function: { name: textOf(name), arguments: textOf(args) } };
  return { index, id: textOf(id), type: 'custom', custom: { name: textOf(name), input: textOf(input) } } as unknown as ToolCall;
}

function summaryOf({ summary, content }: JsonObject): string {
  return [...objectsIn(summary), ...objectsIn(content)].map(({ text }) => textOf(text)).join('');
}

/** A cited page; files of a vector store have no address and are left out. */
function toAnnotation({ type, url, title, start_index: start, end_index: end }: JsonObject): JsonObject[] {
  if (type !== 'url_citation' || typeof url !== 'string') return [];
  return [urlCitation({ url, title: textOf(title) }, [Number(start) || 0, Number(end) || 0])];
}

function toLikelihoods(stated: JsonObject[]): Likelihoods | undefined {
  return stated.length === 0 ? undefined : { content: stated as unknown as Likelihoods['content'], refusal: null };
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
