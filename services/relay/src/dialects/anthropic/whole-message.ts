import { cachedTokensOf, completionTokensOf, type Usage } from '@tollgate/contracts';
import { argumentsObject, type JsonObject, patchJson, thoughtIn, type WholeReading } from '@tollgate/providers';
import { carriedBy, carriedByWords, packed } from '../opaque-state.ts';
import { citedIn, foundFor, type Source } from '../sources.ts';
import { drawnIn, type StatedToolCall, textOf, toolCallsIn } from '../tool-calls.ts';

const stopReasons = new Map<unknown, string>([
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
]);

export function stopReasonOf(finishReason: unknown): string {
  return stopReasons.get(finishReason) ?? 'end_turn';
}

/** An answer that calls tools has ended for that, whatever its provider says: clients run them for this word alone. */
export function withCalls(stopReason: string, hasCalls: boolean): string {
  return hasCalls && stopReason === 'end_turn' ? 'tool_use' : stopReason;
}

/** The id of a message; a provider's own is kept in it. */
export function messageId(id: string): string {
  return id.startsWith('msg_') ? id : `msg_${id}`;
}

/**
 * A whole answer as a message. A provider's own message travels as it came, with what is charged in the place of a bill that
 * says otherwise. Source: https://docs.anthropic.com/en/api/messages
 */
export function wholeMessage({ body, stated, answer, head, usage }: WholeReading, charged: Usage): Buffer {
  if (body !== undefined) {
    const isStated = usage?.trusted === true && usage.usage === charged;
    return isStated ? body : patchJson(body, { set: { usage: { ...(stated.usage as JsonObject), ...toAnthropicUsage(charged) } } });
  }
  const [choice] = answer.choices as JsonObject[];
  const message = (choice?.message ?? {}) as JsonObject;
  const calls = toolCallsIn(message.tool_calls);
  return Buffer.from(
    JSON.stringify({
      id: messageId(head.id),
      type: 'message',
      role: 'assistant',
      model: head.model,
      content: contentOf(message, { calls, sources: [...citedIn(message), ...foundFor(answer)] }),
      stop_reason: withCalls(stopReasonOf(choice?.finish_reason), calls.length > 0),
      stop_sequence: null,
      usage: toAnthropicUsage(charged),
    }),
  );
}

function contentOf(message: JsonObject, { calls, sources }: { calls: readonly StatedToolCall[]; sources: Source[] }): JsonObject[] {
  const { content, refusal, images, thinking_blocks: signed } = message;
  const said = (textOf(content) || textOf(refusal)) + drawnIn(images);
  const thinking = Array.isArray(signed) ? (signed as JsonObject[]) : [];
  const thought = thoughtIn(message);
  const unsigned = thinking.length === 0 && thought !== '' ? [{ type: 'thinking', thinking: thought, signature: '' }] : [];
  return [
    ...thinking,
    ...unsigned,
    ...(said === '' ? [] : [{ type: 'text', text: said, ...(sources.length > 0 && { citations: sources.map(toCitation) }) }]),
    ...carryingBlocks(
      calls.map(({ call }) => call),
      carriedByWords(message),
    ),
    ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: argumentsObject(args) })),
  ];
}

/** A page that words rest on. It has no place in a search of Anthropic's: a provider who checks that is not told of it again. */
export function toCitation({ url, title, text }: Source): JsonObject {
  return { type: 'web_search_result_location', url, title: title ?? null, cited_text: text, encrypted_index: '' };
}

/** What calls and words carry stands in a block of its own before the calls: the next question brings it back. */
export function carryingBlocks(calls: readonly JsonObject[], text?: unknown): JsonObject[] {
  const carried = carriedBy([], calls, text);
  return carried === undefined ? [] : [{ type: 'redacted_thinking', data: packed(carried) }];
}

/** Our classes in Anthropic's words: what was read from a cache, or written into one, is not among `input_tokens`. */
export function toAnthropicUsage(usage: Usage): JsonObject {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    input_tokens: usage.textInput + usage.audioInput + usage.imageInput,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedTokensOf(usage),
    ...(written > 0 && {
      cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite5m, ephemeral_1h_input_tokens: usage.cacheWrite1h },
    }),
    output_tokens: completionTokensOf(usage),
    ...(usage.searches && { server_tool_use: { web_search_requests: usage.searches } }),
    ...(usage.reasoningOutput > 0 && { output_tokens_details: { thinking_tokens: usage.reasoningOutput } }),
  };
}
