import { hashOfId } from '../openai/call-ids.ts';
import { imageUrlOf, messageText } from '../openai/message-text.ts';
import type { ChatMessage, ContentPart } from '../openai/types.ts';
import type { JsonObject } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';

const knownMessageFields = ['role', 'content', 'tool_calls', 'tool_call_id', 'name', 'prefix'];
/** Stands where a turn must be and nothing was said. */
const filler = '...';

/**
 * A conversation in the order that Mistral insists on: no instruction behind what its model said or a tool gave, a turn of the model's
 * between a result and what follows it, none in which nothing is said; one that ends with the model's words is to be gone on with.
 * Throws: RequestRefused for content that it cannot take.
 * Source: https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py
 */
export function toMistralMessages(sent: readonly ChatMessage[]): JsonObject[] {
  const messages: JsonObject[] = [];
  for (const message of instructionsFirst(sent)) {
    if (message.role === 'assistant' && isEmpty(message)) continue;
    if (messages.at(-1)?.role === 'tool' && message.role !== 'tool' && message.role !== 'assistant') {
      messages.push({ role: 'assistant', content: filler });
    }
    messages.push(toMessage(message));
  }
  const last = messages.at(-1);
  if (last?.role === 'assistant' && !hasCalls(last as unknown as ChatMessage)) last.prefix = true;
  return messages;
}

function instructionsFirst(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const spoken = messages.findIndex(({ role }) => role === 'assistant' || role === 'tool');
  if (spoken < 0 || !messages.slice(spoken).some(isInstruction)) return messages;
  return [...messages.filter(isInstruction), ...messages.filter((message) => !isInstruction(message))];
}

function isInstruction({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

function isEmpty(message: ChatMessage): boolean {
  return !hasCalls(message) && !Array.isArray(message.content) && messageText(message) === '';
}

function hasCalls({ tool_calls: calls }: ChatMessage): boolean {
  return (calls ?? []).length > 0;
}

function toMessage(message: ChatMessage): JsonObject {
  const kept: JsonObject = {};
  for (const field of knownMessageFields) if (message[field] !== undefined) kept[field] = message[field];
  if (message.role === 'developer') kept.role = 'system';
  if (Array.isArray(message.content)) kept.content = message.content.map(toPart);
  if (message.tool_calls) kept.tool_calls = message.tool_calls.map((call) => ({ ...call, id: mistralId(call.id ?? '') }));
  if (typeof message.tool_call_id === 'string') kept.tool_call_id = mistralId(message.tool_call_id);
  return kept;
}

function toPart(part: ContentPart): JsonObject {
  if (part?.type === 'image_url') return { type: 'image_url', image_url: imageUrlOf(part) };
  return part?.type === 'file' ? toDocument(part) : part;
}

/** By its address or its bytes, or by the name under which Mistral keeps it. Source: https://docs.mistral.ai/capabilities/document_ai/document_qna */
function toDocument({ file }: ContentPart): JsonObject {
  const { file_data: data, file_id: id, filename } = file ?? {};
  if (data && /^(?:data:|https?:)/i.test(data))
    return { type: 'document_url', document_url: data, ...(filename && { document_name: filename }) };
  if (!data && id) return { type: 'file', file_id: id };
  throw new RequestRefused('A file must be an http(s) URL or a base64 data URL', 'messages');
}

/** Tool call ids must be nine letters or digits; those of another provider become a stable hash, alike in call and result. */
function mistralId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return hashOfId(id).slice(-9);
}
