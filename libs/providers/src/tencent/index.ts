import type { ChannelTypeInfo } from '@tollgate/contracts';
import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { errorFrom, readError } from '../error-text.ts';
import { chatChunk, chatResponse } from '../openai/chunk.ts';
import { embeddingList, embeddingTexts } from '../openai/embedding-texts.ts';
import type { ChatDelta, FinishReason, ToolCall } from '../openai/types.ts';
import { joinUrl } from '../openai/url.ts';
import type { ChunkDecoder, JsonObject, Provider, Stamp, UsageReading } from '../provider.ts';
import { newsIn, read, unreadable } from '../read-answer-shape.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { usageReading } from '../usage-reading.ts';
import { encodeRequest } from './request.ts';
import { signTc3 } from './sign.ts';

const mostTexts = 200;

/** Tencent's Hunyuan by the API of its cloud: what is called stands in a signed header, and errors come with status 200. */
export function tencent(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: () => ({}),
    sign: (call) => signTc3(call, { type: info.type, action: actionFor(call.body) }),
    error: readError,
    chat: {
      speaks: 'own',
      url: (_request, target) => joinUrl(target.baseUrl, '/'),
      says: new Set(['temperature', 'top_p', 'seed']),
      encodeRequest,
      decodeResponse,
      decodeStream,
      usageIn,
      errorIn,
    },
    embeddings: {
      speaks: 'own',
      url: (_request, target) => joinUrl(target.baseUrl, '/'),
      encodeRequest: (request) => ({ InputList: embeddingTexts(request, mostTexts) }),
      decodeResponse: (body, stamp) =>
        embeddingList(
          read(embedded, body)
            .Response.Data.sort((one, other) => (one.Index ?? 0) - (other.Index ?? 0))
            .map(({ Embedding }) => Embedding),
          stamp.model,
        ),
      usageIn,
      errorIn,
    },
  };
}

const embedded = z.object({
  Response: z.object({ Data: z.array(z.object({ Embedding: z.array(z.number()), Index: z.number().nullish() })) }),
});
const toolCall = z.object({
  Id: z.string().nullish(),
  Index: z.number().nullish(),
  Function: z.object({ Name: z.string().nullish(), Arguments: z.string().nullish() }),
});
const said = z.object({
  Content: z.string().nullish(),
  ReasoningContent: z.string().nullish(),
  ToolCalls: z.array(toolCall).nullish(),
});
const answer = z.object({
  Id: z.string().nullish(),
  Created: z.number().nullish(),
  Choices: z
    .array(z.object({ Index: z.number().nullish(), FinishReason: z.string().nullish(), Message: said.nullish(), Delta: said.nullish() }))
    .nullish(),
});

const finishReasons = new Map<unknown, FinishReason>([
  ['sensitive', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['length', 'length'],
]);

function decodeResponse(body: JsonObject, stamp: Stamp) {
  const told = read(answer, body.Response);
  if (!told.Choices || told.Choices.length === 0) throw unreadable('no choices');
  return chatResponse(
    signed(told, stamp),
    told.Choices.map(({ Message: message, FinishReason: reason }) => ({
      text: message?.Content ?? '',
      reasoning: message?.ReasoningContent ?? undefined,
      toolCalls: (message?.ToolCalls ?? []).map((call, index) => ({ ...toCall(call, index), type: 'function' })),
      finishReason: finishReasons.get(reason) ?? 'stop',
    })),
  );
}

function toCall({ Id: id, Index: stated, Function: called }: z.infer<typeof toolCall>, index: number): ToolCall {
  return {
    index: stated ?? index,
    ...(id && { id, type: 'function' }),
    function: { ...(called.Name && { name: called.Name }), arguments: called.Arguments ?? '' },
  };
}

function signed({ Id: id, Created: created }: z.infer<typeof answer>, stamp: Stamp): Stamp {
  return { ...stamp, id: id || stamp.id, createdSeconds: created || stamp.createdSeconds };
}

/** It stands in an envelope, but for the events of a stream. */
function usageIn(body: JsonObject): UsageReading | undefined {
  const { Usage: stated, EmbeddingUsage: other = stated } = (body.Response ?? body) as JsonObject;
  const usage = other as JsonObject | null | undefined;
  if (!usage) return undefined;
  return usageReading((count) => {
    const textInput = count('PromptTokens', usage.PromptTokens);
    return { ...noUsage, textInput, textOutput: count('CompletionTokens', usage.CompletionTokens) };
  });
}

/** Source: https://cloud.tencent.com/document/api/1729/101843 */
const statuses: readonly (readonly [code: RegExp, status: number])[] = [
  [/^AuthFailure/, 401],
  [/^UnauthorizedOperation/, 403],
  [/LimitExceeded/, 429],
  [/^FailedOperation\.(?:ResourcePack|ServiceStop|EngineServerLimit)/, 429],
  [/^InvalidParameter|^UnsupportedOperation|^MissingParameter|^UnknownParameter/, 400],
];

function errorIn(body: JsonObject): UpstreamError | undefined {
  const envelope = (body.Response ?? body) as JsonObject;
  const error = envelope.Error as JsonObject | null | undefined;
  const late = envelope.ErrorMsg as JsonObject | null | undefined;
  if (!error && !late) return undefined;
  const stated = error?.Code ?? late?.Code;
  const code = typeof stated === 'string' || typeof stated === 'number' ? stated : undefined;
  const message = error?.Message ?? late?.Msg;
  const status = statuses.find(([pattern]) => pattern.test(String(code)))?.[1] ?? 500;
  const words = typeof message === 'string' && message !== '' ? message : undefined;
  return errorFrom({ message: words, type: 'tencent_error', param: undefined, code }, { status });
}

function decodeStream(stamp: Stamp): ChunkDecoder {
  let state: ChunkDecoder['state'] = 'open';
  let usage: UsageReading | undefined;
  return {
    push(event) {
      const body = newsIn(event.data, errorIn);
      if (body === undefined) return [];
      const told = read(answer, body);
      const head = signed(told, stamp);
      usage = usageIn(body) ?? usage;
      return (told.Choices ?? []).flatMap(({ Index, Delta: piece, FinishReason: reason }) => {
        const index = Index ?? 0;
        const calls = piece?.ToolCalls ?? [];
        const delta: ChatDelta = {
          ...(piece?.Content && { content: piece.Content }),
          ...(piece?.ReasoningContent && { reasoning_content: piece.ReasoningContent }),
          ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
        };
        const chunks = Object.keys(delta).length > 0 ? [chatChunk(head, { role: 'assistant', ...delta }, { index })] : [];
        if (!reason) return chunks;
        state = 'complete';
        return [...chunks, chatChunk(head, {}, { index, finishReason: finishReasons.get(reason) ?? 'stop' })];
      });
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
  };
}

/** What is called stands in no address: the body's own beginning tells, which is ours. */
function actionFor(body: Buffer): string {
  return body.subarray(0, 12).toString() === '{"InputList"' ? 'GetEmbedding' : 'ChatCompletions';
}
