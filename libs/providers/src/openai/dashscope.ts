import { readError } from '../error-text.ts';
import { rulesOf } from '../model-rules.ts';
import type { JsonObject, Target } from '../provider.ts';
import { type FailedAnswer, UpstreamError } from '../upstream-error.ts';
import { withChangedPieces } from './changed-pieces.ts';
import type { Differences } from './compatible.ts';
import { outputLimitOf } from './message-text.ts';
import type { ChatRequest, ToolCall } from './types.ts';

/**
 * Alibaba's DashScope by its OpenAI-compatible routes: `top_p` must lie between 0 and 1, later pieces of a tool call carry an
 * empty id. Source: https://help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope
 */
export const dashscope: Differences = {
  pathPrefix: '/compatible-mode/v1/',
  headers: ({ key, other }: Target) => ({
    authorization: `Bearer ${key}`,
    'x-dashscope-sse': 'enable',
    ...(other && { 'x-dashscope-plugin': other }),
  }),
  outputLimit: (request, { model }) => {
    const limit = outputLimitOf(request);
    return limit === undefined || !thinks(request, model) ? limit : limit + thinkingBudgetOf(request);
  },
  chatEdits: (request: ChatRequest, target: Target) => {
    const { top_p: topP } = request;
    const bounded = typeof topP === 'number' ? { top_p: Math.min(0.999, Math.max(0.001, topP)) } : undefined;
    const parted = target.cap !== undefined && thinks(request, target.model) ? partedLimit(request, target.cap) : undefined;
    return bounded === undefined && parted === undefined ? undefined : { set: { ...bounded, ...parted } };
  },
  repair: (answer) => withChangedPieces(answer, withoutEmptyIds),
};

/** A refusal; its own routes name the kind in `code` alone. Source: https://www.alibabacloud.com/help/en/model-studio/error-code */
export function dashscopeError(answer: FailedAnswer, key: string): UpstreamError {
  const error = readError(answer, key);
  const { kind, status, message, param, code, retryAfterMs } = error;
  if (error.type !== 'upstream_error' || typeof code !== 'string' || code === 'bad_response_status_code') return error;
  return new UpstreamError({ kind, status, message, param, code, retryAfterMs, type: code });
}

/** A chain of thought is at most so long, unless the request says less. */
const longestThought = 38_912;
const thoughtShare = 0.8;

/** Whether it thinks before it answers; `max_tokens` then is the answer's limit alone. Source: the deep-thinking guide of Model Studio. */
function thinks(request: ChatRequest, model: string): boolean {
  return typeof request.enable_thinking === 'boolean' ? request.enable_thinking : rulesOf(model).reasoning?.besideLimit === true;
}

function thinkingBudgetOf({ thinking_budget: budget }: ChatRequest): number {
  return Number.isSafeInteger(budget) && (budget as number) >= 0 ? Math.min(budget as number, longestThought) : longestThought;
}

/** What the balance carries, parted between thought and answer. */
function partedLimit(request: ChatRequest, cap: number): JsonObject {
  const budget = Math.min(thinkingBudgetOf(request), Math.floor(cap * thoughtShare));
  return { thinking_budget: budget, max_tokens: Math.min(outputLimitOf(request) ?? cap, cap - budget) };
}

function withoutEmptyIds(piece: JsonObject): JsonObject {
  if (!Array.isArray(piece.tool_calls)) return piece;
  const calls = piece.tool_calls as (ToolCall | null)[];
  return { ...piece, tool_calls: calls.map((call) => (call?.id === '' ? { ...call, id: undefined } : call)) };
}
