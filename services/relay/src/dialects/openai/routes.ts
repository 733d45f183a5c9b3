import { completionTokensOf, type Usage } from '@tollgate/contracts';
import {
  asChatAnswer,
  type ChatRequest,
  type CompletionRequest,
  type EmbeddingsRequest,
  isObject,
  type JsonObject,
  patchJson,
  toOpenAiUsage,
  type WholeReading,
} from '@tollgate/providers';
import type { RelayRoute } from '../../context/route.ts';
import { chat, completions, embeddings } from '../../modes/text.ts';
import { chatRequest, completionRequest, embeddingsRequest, fillInRequest } from './chat-request.ts';
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

/** POST /v1/fim/completions, as at Mistral: a completion whose answers are those of a chat. */
export const fillInRoute: RelayRoute<CompletionRequest> = {
  dialect: openai,
  rules: completions,
  read: fillInRequest,
  whole: (reading, usage, sent) =>
    wholeAnswer({ ...reading, body: undefined, answer: asChatAnswer(reading.answer, { isChunk: false }) }, usage, sent),
  writer: (reading, options) => new FillInWriter(chatChunks, reading, { ...options, isSame: false }),
};

class FillInWriter extends ChunkWriter {
  override chunks(chunks: readonly JsonObject[]): string | undefined {
    return super.chunks(chunks.map((chunk) => asChatAnswer(chunk, { isChunk: true })));
  }
}

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
function wholeAnswer({ body, answer, usage }: WholeReading, charged: Usage, sent: JsonObject = {}): Buffer {
  const isStated = usage?.trusted === true && usage.usage === charged && Boolean(answer.usage);
  if (body !== undefined) {
    const choices = withCallEnds(answer.choices, sent);
    if (isStated && choices === undefined) return body;
    return patchJson(body, { set: { ...(!isStated && { usage: usageFor(answer, charged) }), ...(choices && { choices }) } });
  }
  const whole = withRefusals(answer);
  return Buffer.from(JSON.stringify(isStated ? whole : { ...whole, usage: usageFor(answer, charged) }));
}

/**
 * The choices, where one that calls tools ends with `stop`: clients run tools for `tool_calls` alone. OpenAI itself ends so where the request named
 * the function to call. Source: https://platform.openai.com/docs/guides/function-calling
 */
function withCallEnds(choices: unknown, { tool_choice: choice }: JsonObject): JsonObject[] | undefined {
  const isWrong = (one: JsonObject | null) => one?.finish_reason === 'stop' && hasCalls(one.message);
  if (!Array.isArray(choices) || isObject(choice) || !choices.some(isWrong)) return undefined;
  return choices.map((one) => (isWrong(one) ? { ...one, finish_reason: 'tool_calls' } : one));
}

function hasCalls(message: unknown): boolean {
  const calls = (message as JsonObject | null | undefined)?.tool_calls;
  return Array.isArray(calls) && calls.length > 0;
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
