import type { Stamp } from '../provider.ts';
import type { ChatChunk, ChatDelta, ChatResponse, FinishReason, Likelihoods, ToolCall } from './types.ts';

/** One chunk of a chat stream, for translators. */
export function chatChunk(
  head: Stamp,
  delta: ChatDelta,
  options: { index?: number; finishReason?: FinishReason; likelihoods?: Likelihoods | undefined } = {},
): ChatChunk {
  const { index = 0, finishReason = null, likelihoods = null } = options;
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.createdSeconds,
    model: head.model,
    choices: [{ index, delta, logprobs: likelihoods, finish_reason: finishReason }],
  };
}

export interface TranslatedChoice {
  text: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
  finishReason: FinishReason;
  likelihoods?: Likelihoods | undefined;
  /** Fields beyond OpenAI's that the caller may send back to us. */
  extra?: Record<string, unknown>;
}

/** Why a choice has ended: one that calls tools for that, whatever its provider calls it, unless it was cut short. */
export function endOf(reason: FinishReason, hasCalls: boolean): FinishReason {
  return hasCalls && reason === 'stop' ? 'tool_calls' : reason;
}

/** A whole chat answer. */
export function chatResponse(head: Stamp, choices: TranslatedChoice[]): ChatResponse {
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.createdSeconds,
    model: head.model,
    choices: choices.map(({ text, reasoning, toolCalls = [], finishReason, likelihoods = null, extra }, index) => ({
      index,
      message: {
        role: 'assistant',
        content: text === '' && toolCalls.length > 0 ? null : text,
        ...(reasoning && { reasoning_content: reasoning }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        ...extra,
      },
      logprobs: likelihoods,
      finish_reason: endOf(finishReason, toolCalls.length > 0),
    })),
  };
}
