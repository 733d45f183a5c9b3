import { defaultUsageBound } from '@tollgate/contracts';
import { messageText } from '../openai/message-text.ts';
import type { ChatRequest } from '../openai/types.ts';
import type { JsonObject } from '../provider.ts';

const thoughtShare = 0.8;
const leastBudget = 1024; // Anthropic's own limit
const leastMaxTokens = 1280; // its share of thought is the least budget
const defaultWithThinking = 8192;
const budgets = new Map<string | null | undefined, number>([
  ['low', 1024],
  ['medium', 4096],
  ['high', 16384],
  ['xhigh', 16384],
  ['max', 16384],
]);

export function isThinkingName(model: string): boolean {
  return model.endsWith('-thinking');
}

/** What a request comes to here: the most output tokens, and the part of them that may be thought. */
export interface ThinkingPlan {
  maxTokens: number;
  thinking: JsonObject | undefined;
}

/**
 * The output limit, and how much of it may be thought. Thinking comes from the name's ending, from `reasoning_effort`, or as
 * Anthropic's own field. Units: tokens. It is left off where Anthropic would refuse it: with a forced tool, in a tool loop
 * whose thinking the caller did not send back, before an answer that is begun, or (by effort, and under a cap) in a limit too small to hold it. Under a cap, `limit`
 * is what the balance carries: it is not raised, and the budget stays below it.
 */
export function thinkingFor(
  request: ChatRequest,
  options: { model: string; limit: number | undefined; defaultLimit: number; isToolForced: boolean; isCapped: boolean },
): ThinkingPlan {
  const { limit, defaultLimit } = options;
  const plain = { maxTokens: limit ?? defaultLimit, thinking: undefined };
  if (options.isToolForced || isBegun(request) || isInToolLoopWithoutThinking(request)) return plain;
  if (isThinkingName(options.model)) {
    if (options.isCapped && limit !== undefined && limit < leastMaxTokens) return plain;
    const maxTokens = Math.max(leastMaxTokens, limit ?? defaultWithThinking);
    return { maxTokens, thinking: { type: 'enabled', budget_tokens: Math.floor(maxTokens * thoughtShare) } };
  }
  if (typeof request.thinking === 'object' && request.thinking !== null) {
    const thinking = request.thinking as JsonObject;
    if (thinking.type === 'disabled') return plain;
    const wanted = thinking.budget_tokens;
    if (!isTokenCount(wanted)) return { ...plain, thinking };
    if (!options.isCapped) return { maxTokens: limit ?? wanted + defaultLimit, thinking };
    const budget = Math.min(wanted, Math.floor(plain.maxTokens * thoughtShare));
    return budget < leastBudget ? plain : { ...plain, thinking: { ...thinking, budget_tokens: budget } };
  }
  const wanted = budgets.get(request.reasoning_effort);
  if (wanted === undefined) return plain;
  const maxTokens = limit ?? wanted + defaultLimit;
  const budget = Math.min(wanted, Math.floor(maxTokens * thoughtShare));
  return budget < leastBudget ? plain : { maxTokens, thinking: { type: 'enabled', budget_tokens: budget } };
}

/** A budget that no model has is left to Anthropic to refuse. */
function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= defaultUsageBound;
}

/** The answer goes on from words of the caller's, and not from a turn that comes back with its thinking. */
function isBegun({ messages }: ChatRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && !Array.isArray(last.thinking_blocks) && messageText(last).trim() !== '';
}

/** The turn goes on after a tool result, but its first half came back without the signed thinking. */
function isInToolLoopWithoutThinking({ messages }: ChatRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false;
  const call = messages.findLast((message) => message.role === 'assistant');
  return call !== undefined && !Array.isArray(call.thinking_blocks);
}
