import { nearestEffort, type ReasoningRules } from '@tollgate/contracts/catalog';
import { effortOfBudget, isTokenCount, wantedEffort } from '../model-rules.ts';
import { objectsIn } from '../objects.ts';
import { messageText } from '../openai/message-text.ts';
import { isSealedReasoning } from '../openai/responses-reasoning.ts';
import type { ChatMessage, ChatRequest } from '../openai/types.ts';
import type { JsonObject } from '../provider.ts';

const thoughtShare = 0.8;
const leastBudget = 1024; // Anthropic's own limit
const leastMaxTokens = 1280; // its share of thought is the least budget
const usualWithThinking = 8192; // where a name alone asks for thinking
const leastAnswer = 4096; // beside a budget, where the caller names no limit
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

/** What a request comes to here: the most output tokens, the part of them that may be thought, and how much effort goes into all of it. */
export interface ThinkingPlan {
  maxTokens: number;
  thinking: JsonObject | undefined;
  /** For `output_config`, where the model takes levels instead of budgets. */
  effort?: string;
}

interface Options {
  model: string;
  limit: number | undefined;
  defaultLimit: number;
  isToolForced: boolean;
  isCapped: boolean;
  rules: ReasoningRules | undefined;
}

/**
 * The output limit, and how much of it may be thought. Thinking comes from the name's ending, from `reasoning_effort`, or as
 * Anthropic's own field. Units: tokens. It is left off where Anthropic would refuse it: with a forced tool, in a tool loop
 * whose thinking the caller did not send back, before an answer that is begun, or (by effort, and under a cap) in a limit too small to hold it. Under a cap, `limit`
 * is what the balance carries: it is not raised, and the budget stays below it.
 */
export function thinkingFor(request: ChatRequest, options: Options): ThinkingPlan {
  const { limit, defaultLimit, rules } = options;
  const plain = { maxTokens: limit ?? defaultLimit, thinking: undefined };
  const isOff = options.isToolForced || isBegun(request) || isInToolLoopWithoutThinking(request);
  if (rules?.form === 'adaptive') return { maxTokens: plain.maxTokens, ...adaptive(request, { ...options, rules, isOff }) };
  if (isOff) return plain;
  if (isThinkingName(options.model)) {
    if (options.isCapped && limit !== undefined && limit < leastMaxTokens) return plain;
    const maxTokens = Math.max(leastMaxTokens, limit ?? Math.max(defaultLimit, usualWithThinking));
    return {
      maxTokens,
      thinking: { type: 'enabled', budget_tokens: Math.floor((limit === undefined ? usualWithThinking : maxTokens) * thoughtShare) },
    };
  }
  if (typeof request.thinking === 'object' && request.thinking !== null) {
    const thinking = request.thinking as JsonObject;
    if (thinking.type === 'disabled') return plain;
    const wanted = thinking.budget_tokens;
    if (!isTokenCount(wanted)) return { ...plain, thinking };
    if (!options.isCapped) return { maxTokens: limit ?? Math.max(defaultLimit, wanted + leastAnswer), thinking };
    const budget = Math.min(wanted, Math.floor(plain.maxTokens * thoughtShare));
    return budget < leastBudget ? plain : { ...plain, thinking: { ...thinking, budget_tokens: budget } };
  }
  const wanted = budgets.get(wantedEffort(request));
  if (wanted === undefined) return plain;
  const maxTokens = limit ?? Math.max(defaultLimit, wanted + leastAnswer);
  const budget = Math.min(wanted, Math.floor(maxTokens * thoughtShare));
  return budget < leastBudget ? plain : { maxTokens, thinking: { type: 'enabled', budget_tokens: budget } };
}

/** Without `display` no thought is told. */
export const adaptiveThinking: JsonObject = { type: 'adaptive', display: 'summarized' };

/** Thinking of models that decide themselves how much they think, within an effort. */
function adaptive(
  request: ChatRequest,
  { model, rules, isOff }: Options & { rules: ReasoningRules; isOff: boolean },
): Omit<ThinkingPlan, 'maxTokens'> {
  const own = request.thinking as JsonObject | null | undefined;
  const wanted = own?.type === 'disabled' ? 'none' : (wantedEffort(request) ?? effortOfBudget(own?.budget_tokens));
  const effort = wanted === undefined || (wanted === 'none' && rules.off === true) ? undefined : nearestEffort(wanted, rules);
  if (isOff) return { thinking: undefined, effort };
  if (wanted === 'none' && rules.off === true) return { thinking: rules.usual === 'none' ? undefined : { type: 'disabled' } };
  const isWanted = wanted !== undefined || own?.type === 'adaptive' || own?.type === 'enabled' || isThinkingName(model);
  return { thinking: isWanted ? adaptiveThinking : undefined, effort };
}

/** The budget within a limit that an effort stands for, where a model takes budgets alone; undefined where the limit is too small. */
export function budgetOfEffort(effort: unknown, maxTokens: number): number | undefined {
  const wanted = budgets.get(typeof effort === 'string' ? effort : 'high') ?? (budgets.get('high') as number);
  const budget = Math.min(wanted, Math.floor(maxTokens * thoughtShare));
  return budget < leastBudget ? undefined : budget;
}

/** The answer goes on from words of the caller's, and not from a turn that comes back with its thinking. */
function isBegun({ messages }: ChatRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'assistant' && !hasOwnThinking(last) && messageText(last).trim() !== '';
}

/** The turn goes on after a tool result, but its first half came back without the signed thinking. */
export function isInToolLoopWithoutThinking({ messages }: ChatRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false;
  const call = messages.findLast((message) => message.role === 'assistant');
  return call !== undefined && !hasOwnThinking(call);
}

/** Whether a turn came back with thinking that Anthropic's models made. */
function hasOwnThinking({ thinking_blocks: blocks }: ChatMessage): boolean {
  return objectsIn(blocks).some((block) => (block.type !== 'thinking' || Boolean(block.signature)) && !isSealedReasoning(block));
}
