import { type ChatRequest, estimateChat } from '@tollgate/providers';
import type { RelayRoute } from '../call/route.ts';
import { chatRequest, eachChatText } from '../inbound/openai-chat/chat-request.ts';

/** POST /v1/chat/completions, and the playground. */
export const chatRoute: RelayRoute<ChatRequest> = {
  mode: 'chat',
  check: chatRequest,
  eachText: eachChatText,
  weigh: estimateChat,
  output: (request) => ({ maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined, choices: request.n ?? 1 }),
  dialectOf: (provider) => provider.chat,
};
