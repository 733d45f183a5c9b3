import type { JsonEdits } from '../json-bytes.ts';
import type { ChatRequest } from '../openai/types.ts';
import type { JsonObject, Target } from '../provider.ts';
import { modelOf, thinkingPlan } from './request.ts';
import { isThinkingName } from './thinking.ts';

const samplingOfThought = ['temperature', 'top_p', 'top_k'];

/**
 * What changes in a Messages request that travels as it came: the model's name, and, under a cap or where the name asks for
 * thinking, the output limit and the part of it that may be thought.
 */
export function ownEdits(own: JsonObject, { request, target }: { request: ChatRequest; target: Target }): JsonEdits {
  const model = modelOf(target);
  const set: JsonObject = model === own.model ? {} : { model };
  const isByName = isThinkingName(target.model);
  if (target.cap === undefined && !isByName) return { set };
  const { maxTokens, thinking } = thinkingPlan(request, target);
  if (maxTokens !== own.max_tokens) set.max_tokens = maxTokens;
  if (thinking === undefined) return { set, remove: isThinking(own.thinking) ? ['thinking'] : [] };
  return { set: { ...set, thinking }, remove: isByName ? samplingOfThought : [] };
}

function isThinking(thinking: unknown): boolean {
  return (thinking as JsonObject | null | undefined)?.type === 'enabled';
}
