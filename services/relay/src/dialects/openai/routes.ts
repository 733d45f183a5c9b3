import type { ChatRequest, CompletionRequest, EmbeddingsRequest } from '@tollgate/providers';
import { chat } from '../../modes/chat.ts';
import { completions } from '../../modes/completions.ts';
import { embeddings } from '../../modes/embeddings.ts';
import type { RelayRoute } from '../../pipeline/route.ts';
import { chatRequest } from './chat-request.ts';
import { ChunkWriter, chatChunks, completionChunks } from './chunk-writer.ts';
import { toChatBody } from './foreign-bodies.ts';
import { completionRequest, embeddingsRequest } from './input-requests.ts';
import { openai } from './openai.ts';
import { wholeAnswer } from './whole-answer.ts';

/** POST /v1/chat/completions, and the playground. */
export const chatRoute: RelayRoute<ChatRequest> = {
  dialect: openai,
  rules: chat,
  read(sent) {
    toChatBody(sent);
    return chatRequest(sent.json);
  },
  whole: wholeAnswer,
  writer: (reading, options) => new ChunkWriter(chatChunks, reading, options),
};

/** POST /v1/completions. */
export const completionsRoute: RelayRoute<CompletionRequest> = {
  dialect: openai,
  rules: completions,
  read: ({ json }) => completionRequest(json),
  whole: wholeAnswer,
  writer: (reading, options) => new ChunkWriter(completionChunks, reading, options),
};

/** POST /v1/embeddings. Older clients put the model into the path: /v1/engines/:model/embeddings. */
export const embeddingsRoute: RelayRoute<EmbeddingsRequest> = {
  dialect: openai,
  rules: embeddings,
  read: ({ json }) => embeddingsRequest(json),
  whole: wholeAnswer,
  writer: (reading, options) => new ChunkWriter(chatChunks, reading, options),
};
