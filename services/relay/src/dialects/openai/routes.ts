import { completionTokensOf, type Usage } from '@tollgate/contracts';
import {
  type ChatRequest,
  type CompletionRequest,
  type EmbeddingsRequest,
  type JsonObject,
  patchJson,
  toOpenAiUsage,
  type WholeReading,
} from '@tollgate/providers';
import type { RelayRoute } from '../../context/route.ts';
import { chat, completions, embeddings } from '../../modes/text.ts';
import { chatRequest, completionRequest, embeddingsRequest } from './chat-request.ts';
import { ChunkWriter, chatChunks, completionChunks } from './chunk-writer.ts';
import { toChatBody } from './foreign-bodies.ts';
import { openai } from './openai.ts';

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

/**
 * A whole answer as OpenAI writes it. The caller sees what he is charged: the provider's own words, and bytes, stand where
 * they say just that.
 */
function wholeAnswer({ body, answer, usage }: WholeReading, charged: Usage): Buffer {
  const isStated = usage?.trusted === true && usage.usage === charged && Boolean(answer.usage);
  if (body !== undefined) return isStated ? body : patchJson(body, { set: { usage: usageFor(answer, charged) } });
  const whole = withRefusals(answer);
  return Buffer.from(JSON.stringify(isStated ? whole : { ...whole, usage: usageFor(answer, charged) }));
}

/** Strict clients want `refusal` in every message. Source: https://platform.openai.com/docs/api-reference/chat/object */
function withRefusals(answer: JsonObject): JsonObject {
  if (!Array.isArray(answer.choices)) return answer;
  const choices = answer.choices.map((choice: JsonObject | null) => {
    const message = choice?.message as JsonObject | null | undefined;
    return message && message.refusal === undefined ? { ...choice, message: { ...message, refusal: null } } : choice;
  });
  return { ...answer, choices };
}

/** Embeddings have no output to count, and OpenAI's embedding answers do not mention any. */
function usageFor(answer: JsonObject, usage: Usage): JsonObject {
  const stated = toOpenAiUsage(usage);
  if (answer.object !== 'list' || completionTokensOf(usage) > 0) return { ...stated };
  return { prompt_tokens: stated.prompt_tokens, total_tokens: stated.total_tokens };
}
