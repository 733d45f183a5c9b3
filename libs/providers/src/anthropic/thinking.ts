import type { ChatRequest } from '../openai/types.ts';
import type { JsonObject } from '../provider.ts';

const leastBudget = 1024; // Anthropic's own limit
const leastMaxTokens = 1280; // 80 % of it is the least budget
const defaultWithThinking = 8192;
const budgets = new Map<string | null | undefined, number>([
  ['low', 1024],
  ['medium', 4096],
  ['high', 16384],
]);

export function isThinkingName(model: string): boolean {
  return model.endsWith('-thinking');
}

/**
 * The output limit, and how much of it may be thought. Thinking comes from the name's ending, from `reasoning_effort`, or as
 * Anthropic's own field. Units: tokens. It is left off where Anthropic would refuse it: with a forced tool, in a tool loop
 * whose thinking the caller did not send back, or (by effort) in a limit too small to hold it.
 */
export function thinkingFor(
  request: ChatRequest,
  options: { model: string; limit: number | undefined; defaultLimit: number; isToolForced: boolean },
): { maxTokens: number; thinking: JsonObject | undefined } {
  const { limit, defaultLimit } = options;
  const plain = { maxTokens: limit ?? defaultLimit, thinking: undefined };
  if (options.isToolForced || isInToolLoopWithoutThinking(request)) return plain;
  if (isThinkingName(options.model)) {
    const maxTokens = Math.max(leastMaxTokens, limit ?? defaultWithThinking);
    return { maxTokens, thinking: { type: 'enabled', budget_tokens: Math.floor(maxTokens * 0.8) } };
  }
  if (typeof request.thinking === 'object' && request.thinking !== null) {
    const thinking = request.thinking as JsonObject;
    return thinking.type === 'disabled' ? plain : { ...plain, thinking };
  }
  const wanted = budgets.get(request.reasoning_effort);
  if (wanted === undefined) return plain;
  const maxTokens = limit ?? wanted + defaultLimit;
  const budget = Math.min(wanted, Math.floor(maxTokens * 0.8));
  return budget < leastBudget ? plain : { maxTokens, thinking: { type: 'enabled', budget_tokens: budget } };
}

/** The turn goes on after a tool result, but its first half came back without the signed thinking. */
function isInToolLoopWithoutThinking({ messages }: ChatRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false;
  const call = messages.findLast((message) => message.role === 'assistant');
  return call !== undefined && !Array.isArray(call.thinking_blocks);
}
