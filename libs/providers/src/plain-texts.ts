import { messageParts } from './openai/message-text.ts';
import { stopsOf } from './openai/stops.ts';
import type { ChatRequest } from './openai/types.ts';
import { RequestRefused } from './upstream-error.ts';

/** For models that know texts alone. Throws: RequestRefused that names what they do not. */
export function assertTextOnly(request: ChatRequest): void {
  assertNoMedia(request);
  if (request.tools && request.tools.length > 0) throw new RequestRefused('This model knows no tools', 'tools');
  if (request.messages.some(({ tool_calls: calls, role }) => (calls && calls.length > 0) || role === 'tool')) {
    throw new RequestRefused('This model knows no tools', 'messages');
  }
  assertPlainFormat(request);
  assertNoStops(request);
}

export function assertNoMedia({ messages }: Pick<ChatRequest, 'messages'>): void {
  for (const message of messages) {
    const other = messageParts(message).find((part) => part.type !== 'text');
    if (other !== undefined) throw new RequestRefused(`Content of type ${other.type} cannot be sent to this model`, 'messages');
  }
}

/** For models that cannot be told where to end. */
export function assertNoStops(request: ChatRequest): void {
  if (stopsOf(request) !== undefined) throw new RequestRefused('This model cannot be told words to stop at', 'stop');
}

/** For models that cannot be bound to a form of their answer. */
export function assertPlainFormat({ response_format: format }: ChatRequest): void {
  if (format?.type === 'json_object' || format?.type === 'json_schema') {
    throw new RequestRefused('This model cannot be bound to JSON', 'response_format');
  }
}
