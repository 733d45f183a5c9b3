import { type ChatRequest, estimateChat, predictedTokens } from '@tollgate/providers';
import type { RelayRoute } from '../call/route.ts';
import { chatRequest, eachChatText } from '../inbound/openai-chat/chat-request.ts';

/** POST /v1/chat/completions, and the playground. */
export const chatRoute: RelayRoute<ChatRequest> = {
  mode: 'chat',
  hasExtras: true,
  check: chatRequest,
  eachText: eachChatText,
  weigh: estimateChat,
  output: (request) => ({
    maxTokens: longestAsked(request),
    choices: request.n ?? 1,
    besides: predictedTokens(request),
    isSpoken: Array.isArray(request.modalities) && request.modalities.includes('audio'),
  }),
  dialectOf: (provider) => provider.chat,
};

/** The larger of the two limits: which of them counts is the provider's to say. */
function longestAsked({ max_completion_tokens: limit, max_tokens: oldLimit }: ChatRequest): number | undefined {
  if (typeof limit !== 'number' || typeof oldLimit !== 'number') return limit ?? oldLimit ?? undefined;
  return Math.max(limit, oldLimit);
}
