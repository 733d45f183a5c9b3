import type { JsonEdits } from '../json-bytes.ts';
import { carriedMark } from '../openai/responses.ts';
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
  const messages = signedMessages(own.messages);
  const set: JsonObject = { ...(model !== own.model && { model }), ...(messages !== undefined && { messages }) };
  const isByName = isThinkingName(target.model);
  if (target.cap === undefined && !isByName) return { set };
  const { maxTokens, thinking } = thinkingPlan(request, target);
  if (maxTokens !== own.max_tokens) set.max_tokens = maxTokens;
  if (thinking === undefined) return { set, remove: isThinking(own.thinking) ? ['thinking'] : [] };
  return { set: { ...set, thinking }, remove: isByName ? samplingOfThought : [] };
}

/**
 * The messages without thinking that has no signature, and without what calls of other providers carry: both were told to this caller as
 * Anthropic would, and are refused here. Undefined when there is none.
 */
function signedMessages(messages: unknown): JsonObject[] | undefined {
  if (!Array.isArray(messages)) return undefined;
  const isUnsigned = (block: JsonObject | null) =>
    (block?.type === 'thinking' && !block.signature) ||
    (block?.type === 'redacted_thinking' && typeof block.data === 'string' && block.data.startsWith(carriedMark));
  const holdsUnsigned = ({ role, content }: JsonObject) => role === 'assistant' && Array.isArray(content) && content.some(isUnsigned);
  if (!messages.some(holdsUnsigned)) return undefined;
  return (messages as JsonObject[]).flatMap((message) => {
    if (!holdsUnsigned(message)) return [message];
    const content = (message.content as JsonObject[]).filter((block) => !isUnsigned(block));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

function isThinking(thinking: unknown): boolean {
  return (thinking as JsonObject | null | undefined)?.type === 'enabled';
}
