import type { Usage } from '@tollgate/contracts';
import { type JsonObject, parseExact, patchJson, type WholeReading } from '@tollgate/providers';
import { carriedBy, packed } from '../carried.ts';
import { objectsIn, textOf } from '../said.ts';
import { toAnthropicUsage } from './usage.ts';

const stopReasons = new Map<unknown, string>([
  ['length', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['function_call', 'tool_use'],
  ['content_filter', 'refusal'],
]);

export function stopReasonOf(finishReason: unknown): string {
  return stopReasons.get(finishReason) ?? 'end_turn';
}

/** The id of a message; a provider's own is kept in it. */
export function messageId(id: string): string {
  return id.startsWith('msg_') ? id : `msg_${id}`;
}

/**
 * A whole answer as a message. A provider's own message travels as it came, with what is charged in the place of a bill that
 * says otherwise. Source: https://docs.anthropic.com/en/api/messages
 */
export function wholeMessage({ body, stated, answer, usage }: WholeReading, charged: Usage): Buffer {
  if (body !== undefined) {
    const isStated = usage?.trusted === true && usage.usage === charged;
    return isStated ? body : patchJson(body, { set: { usage: { ...(stated.usage as JsonObject), ...toAnthropicUsage(charged) } } });
  }
  const [choice] = answer.choices as JsonObject[];
  return Buffer.from(
    JSON.stringify({
      id: messageId(String(answer.id)),
      type: 'message',
      role: 'assistant',
      model: answer.model,
      content: contentOf((choice?.message ?? {}) as JsonObject),
      stop_reason: stopReasonOf(choice?.finish_reason),
      stop_sequence: null,
      usage: toAnthropicUsage(charged),
    }),
  );
}

function contentOf({
  content,
  refusal,
  reasoning_content: reasoning,
  thinking_blocks: signed,
  tool_calls: calls,
  extra_content: carried,
}: JsonObject): JsonObject[] {
  const said = textOf(content) || textOf(refusal);
  const thinking = Array.isArray(signed) ? (signed as JsonObject[]) : [];
  const thought = textOf(reasoning);
  const unsigned = thinking.length === 0 && thought !== '' ? [{ type: 'thinking', thinking: thought, signature: '' }] : [];
  return [
    ...thinking,
    ...unsigned,
    ...(said === '' ? [] : [{ type: 'text', text: said }]),
    ...carryingBlocks(objectsIn(calls), carried),
    ...objectsIn(calls).map(toToolUse),
  ];
}

/** What calls and words carry stands in a block of its own before the calls: the next question brings it back. */
export function carryingBlocks(calls: readonly JsonObject[], text?: unknown): JsonObject[] {
  const carried = carriedBy([], calls, text);
  return carried === undefined ? [] : [{ type: 'redacted_thinking', data: packed(carried) }];
}

function toToolUse({ id, function: called }: JsonObject): JsonObject {
  const { name, arguments: text } = (called ?? {}) as JsonObject;
  return { type: 'tool_use', id, name, input: inputOf(text) };
}

/** What a model wrote as arguments, which may be no JSON: then it is told as it is. */
function inputOf(text: unknown): unknown {
  if (typeof text !== 'string' || text.trim() === '') return {};
  try {
    return parseExact(text);
  } catch {
    return { arguments: text };
  }
}
