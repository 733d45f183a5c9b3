import { factsOf } from '@tollgate/contracts/catalog';
import { wantedEffort } from '../model-rules.ts';
import { isObject, objectsIn } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import type { ChatMessage, ChatRequest } from './types.ts';

/** Fields of a message in which other providers' models keep their reasoning; OpenAI's own models know none of them. */
const foreign = ['thinking_blocks', 'extra_content'] as const;
const foreignToOpenAi = [...foreign, 'reasoning_content'] as const;
const foreignToMaker = [...foreignToOpenAi, 'reasoning', 'reasoning_details'] as const;

interface Place {
  model: string;
  /** The channel calls OpenAI's chat completions, by itself or through a reseller. */
  isOpenAi: boolean;
  /** The channel has its provider's own address: no other gateway is in between, which might need what we leave out. */
  isMakersOwn: boolean;
}

/**
 * The messages of a chat with the reasoning of earlier turns as the model takes it: as `reasoning_content` where it wants that back, without what other
 * models left where it refuses that. Undefined where nothing has to change.
 */
export function takenReasoning(request: ChatRequest, { model, isOpenAi, isMakersOwn }: Place): ChatMessage[] | undefined {
  const { messages } = request;
  if (!Array.isArray(messages)) return undefined;
  const facts = factsOf(model);
  const wantsBack = facts?.rules.reasoning?.back === 'reasoning_content';
  const isOff = wantsBack && isThinkingOff(request);
  const left = leftOut({ isOpenAi: isOpenAi && facts?.maker === 'openai', isMakersOwn });
  let taken: ChatMessage[] | undefined;
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at] as ChatMessage;
    if (message?.role !== 'assistant') continue;
    const thought = wantsBack ? (withReasoning(message, { isOff }) as ChatMessage) : message;
    const told = left.some((name) => name in thought) ? without(thought, left) : thought;
    if (told === message) continue;
    taken ??= [...messages];
    taken[at] = told;
  }
  return taken;
}

function leftOut({ isOpenAi, isMakersOwn }: { isOpenAi: boolean; isMakersOwn: boolean }): readonly string[] {
  if (!isOpenAi) return isMakersOwn ? foreign : [];
  return isMakersOwn ? foreignToMaker : foreignToOpenAi;
}

function without(message: ChatMessage, names: readonly string[]): ChatMessage {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name))) as unknown as ChatMessage;
}

/** Whether a request switches thinking off. */
export function isThinkingOff(request: ChatRequest): boolean {
  return (request.thinking as JsonObject | null | undefined)?.type === 'disabled' || wantedEffort(request) === 'none';
}

/** A turn with calls must have some; for one that another model began, a blank does. Source: https://api-docs.deepseek.com/guides/thinking_mode */
export function withReasoning(message: JsonObject, { isOff }: { isOff: boolean }): JsonObject {
  if (message.role !== 'assistant' || typeof message.reasoning_content === 'string') return message;
  const text = objectsIn(message.thinking_blocks)
    .map(({ thinking }) => (typeof thinking === 'string' ? thinking : ''))
    .join('');
  const stated = text !== '' || isObject(message.reasoning) ? text : message.reasoning;
  if (typeof stated === 'string' && stated !== '') return { ...message, reasoning_content: stated };
  return message.tool_calls === undefined || message.tool_calls === null || isOff ? message : { ...message, reasoning_content: ' ' };
}
