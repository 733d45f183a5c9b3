import type { ChatRequest } from './openai/types.ts';
import type { UpstreamError } from './upstream-error.ts';

/**
 * What providers say of reasoning that another account or model made, or that has expired. Sources: https://github.com/openai/codex/issues/13724
 * (OpenAI), https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking (Anthropic), https://ai.google.dev/gemini-api/docs/thought-signatures
 * (Google); read on 2026-11-26. Each is pieces in their order; case and backticks do not count, an underscore is a blank.
 */
const refusals: readonly (readonly string[])[] = [
  ['encrypted content ', 'could not be verified'],
  ['encrypted content ', 'could not be decrypted'],
  ['encrypted content ', 'could not be parsed'],
  ['invalid signature in thinking block'],
  ['thinking', 'block', 'cannot be modified'],
  ['thought signature ', 'invalid'],
  ['thought signature ', 'not valid'],
  ['thought signature ', 'expired'],
  ['invalid thought signature'],
  ['corrupted thought signature'],
  ["item with id 'rs ", "' not found"],
];

/** Whether the pieces stand in the text, one after the other. */
function hasInOrder(text: string, pieces: readonly string[]): boolean {
  let at = 0;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return true;
}

/** Whether a provider refuses the reasoning of earlier turns, so that the request may be taken without it. */
export function isReasoningRefused({ status, code, message }: UpstreamError): boolean {
  if (status !== 400 && status !== 404) return false;
  if (code === 'invalid_encrypted_content') return true;
  const text = message.slice(0, 2000).toLowerCase().replaceAll('`', '').replaceAll('_', ' ');
  return refusals.some((pieces) => hasInOrder(text, pieces));
}

/** A request of the canonical format without the reasoning of earlier turns. */
export function withoutReasoning(request: ChatRequest): ChatRequest {
  const messages = request.messages.map(({ thinking_blocks: _thinking, extra_content: _extra, ...message }) =>
    Array.isArray(message.tool_calls)
      ? { ...message, tool_calls: message.tool_calls.map(({ extra_content: _carried, ...call }) => call) }
      : message,
  );
  return { ...request, messages } as ChatRequest;
}
