import { type ChatRequest, chatDialectFor, estimateChat, predictedTokens } from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';

/** Conversations. */
export const chat: ModeRules<ChatRequest> = {
  mode: 'chat',
  hasExtras: true,
  eachText: eachChatText,
  weigh: estimateChat,
  output: (request, measure) => ({
    maxTokens: longestAsked(request),
    choices: request.n ?? 1,
    besides: predictedTokens(request, measure),
    isSpoken: Array.isArray(request.modalities) && request.modalities.includes('audio'),
  }),
  dialectOf: (provider, call) => (call === undefined ? provider.chat : chatDialectFor(provider, call)),
};

/** Visits every text of the conversation. */
function eachChatText(request: ChatRequest, visit: (text: string) => void): void {
  for (const { content } of request.messages) {
    if (typeof content === 'string') visit(content);
    else for (const part of content ?? []) if (typeof part.text === 'string') visit(part.text);
  }
}

/** The larger of the two limits: which of them counts is the provider's to say. */
function longestAsked({ max_completion_tokens: limit, max_tokens: oldLimit }: ChatRequest): number | undefined {
  if (typeof limit !== 'number' || typeof oldLimit !== 'number') return limit ?? oldLimit ?? undefined;
  return Math.max(limit, oldLimit);
}
