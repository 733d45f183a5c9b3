import { imageUrlOf, messageParts, messageText } from '../openai/message-text.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatMessage, ChatRequest } from '../openai/types.ts';
import { assertNoStops, assertPlainFormat } from '../plain-texts.ts';
import type { JsonObject } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';

/** Dify wants a name for whoever asks; the caller's is used when there is one. */
const anonymous = 'tollgate';

/**
 * The whole conversation as one question: each call is a conversation of its own there.
 * Throws: RequestRefused for tools, which an app defines for itself, and for images that are no address.
 */
export function encodeRequest(sent: ChatRequest): JsonObject {
  const request = translatedRequest(sent);
  if (request.tools && request.tools.length > 0) throw new RequestRefused('An app defines its own tools', 'tools');
  assertPlainFormat(request);
  assertNoStops(request);
  return {
    inputs: {},
    query: request.messages.map((message) => `${speakerOf(message)}: \n${messageText(message)}\n`).join(''),
    response_mode: 'streaming',
    user: request.user || anonymous,
    auto_generate_name: false,
    files: request.messages.flatMap(imagesOf),
  };
}

function speakerOf({ role }: ChatMessage): string {
  if (role === 'system' || role === 'developer') return 'SYSTEM';
  return role === 'assistant' ? 'ASSISTANT' : 'USER';
}

function imagesOf(message: ChatMessage): JsonObject[] {
  return messageParts(message).flatMap((part) => {
    if (part.type === 'text') return [];
    if (part.type !== 'image_url') throw new RequestRefused(`Content of type ${part.type} cannot be sent to this app`, 'messages');
    const url = imageUrlOf(part);
    if (!/^https?:\/\//.test(url)) throw new RequestRefused('An image must be an http(s) URL', 'messages');
    return [{ type: 'image', transfer_method: 'remote_url', url }];
  });
}
