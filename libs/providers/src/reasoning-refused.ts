import type { ChatRequest } from './openai/types.ts';
import type { UpstreamError } from './upstream-error.ts';

/**
 * What providers say of reasoning that another account or model made, or that has expired. Sources: https://github.com/openai/codex/issues/13724
 * (OpenAI), https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking (Anthropic), https://ai.google.dev/gemini-api/docs/thought-signatures
 * (Google); read on 2026-11-26.
 */
const refusals =
  /encrypted content .{0,400}could not be (?:verified|decrypted|parsed)|invalid `?signature`? in `?thinking`? block|thinking.{0,40}blocks? .{0,60}cannot be modified|thought[_ ]signature .{0,60}(?:invalid|not valid|expired)|(?:invalid|corrupted) thought[_ ]signature|Item with id 'rs_[^']{1,200}' not found/i;

/** Whether a provider refuses the reasoning of earlier turns, so that the request may be taken without it. */
export function isReasoningRefused({ status, code, message }: UpstreamError): boolean {
  if (status !== 400 && status !== 404) return false;
  return code === 'invalid_encrypted_content' || refusals.test(message.slice(0, 2000));
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
