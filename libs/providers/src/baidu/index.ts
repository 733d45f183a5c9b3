import type { ChannelTypeInfo } from '@tollgate/contracts';
import { noUsage } from '@tollgate/contracts';
import { hostedNames } from '@tollgate/contracts/catalog';
import { z } from 'zod';
import { readError } from '../error-text.ts';
import { chatChunk, chatResponse, endOf } from '../openai/chunk.ts';
import { embeddingList, embeddingTexts } from '../openai/embedding-texts.ts';
import type { ChatDelta, FinishReason, ToolCall } from '../openai/types.ts';
import { joinUrl } from '../openai/url.ts';
import type { ChunkDecoder, JsonObject, Provider, Stamp, Target, UsageReading } from '../provider.ts';
import { newsIn, read } from '../read-answer-shape.ts';
import { usageReading } from '../usage-reading.ts';
import { errorIn } from './errors.ts';
import { encodeRequest } from './request.ts';
import { baiduToken } from './token.ts';

const mostTexts = 16;

/** Baidu's Wenxin by its first API. Source: https://cloud.baidu.com/doc/WENXINWORKSHOP/s/flfmc9do2 */
export function baidu(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: () => ({}),
    token: baiduToken(info.type),
    error: readError,
    chat: {
      speaks: 'own',
      url: (_request, target) => urlOf(target, 'chat'),
      says: new Set(['temperature', 'top_p', 'frequency_penalty', 'user']),
      encodeRequest,
      decodeResponse,
      decodeStream,
      usageIn,
      errorIn,
    },
    embeddings: {
      speaks: 'own',
      url: (_request, target) => urlOf(target, 'embeddings'),
      encodeRequest: (request) => ({ input: embeddingTexts(request, mostTexts) }),
      decodeResponse: (body, stamp) =>
        embeddingList(
          read(embedded, body)
            .data.sort((one, other) => one.index - other.index)
            .map(({ embedding }) => embedding),
          stamp.model,
        ),
      usageIn,
      errorIn,
    },
  };
}

function urlOf({ baseUrl, model, token = '' }: Target, kind: 'chat' | 'embeddings'): string {
  const path = hostedNames.baidu[model] ?? `${kind}/${encodeURIComponent(model.toLowerCase())}`;
  return joinUrl(baseUrl, `/rpc/2.0/ai_custom/v1/wenxinworkshop/${path}`, { query: `access_token=${encodeURIComponent(token)}` });
}

const embedded = z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })) });
const piece = z.object({
  id: z.string().nullish(),
  created: z.number().nullish(),
  result: z.string().nullish(),
  is_truncated: z.boolean().nullish(),
  is_end: z.boolean().nullish(),
  finish_reason: z.string().nullish(),
  function_call: z.object({ name: z.string(), arguments: z.string().nullish() }).nullish(),
});
type Piece = z.infer<typeof piece>;

function decodeResponse(body: JsonObject, stamp: Stamp) {
  const told = read(piece, body);
  const toolCalls = callsOf(told, stamp);
  return chatResponse(headOf(told, stamp), [{ text: told.result ?? '', toolCalls, finishReason: finishReasonOf(told) }]);
}

function callsOf({ function_call: call }: Piece, stamp: Stamp): ToolCall[] {
  if (!call) return [];
  const seed = stamp.id.replace(/[^a-zA-Z0-9]/g, '').slice(-24);
  const id = `call_${seed.padStart(24, '0')}`;
  return [{ index: 0, id, type: 'function', function: { name: call.name, arguments: call.arguments || '{}' } }];
}

function finishReasonOf({ finish_reason: reason, is_truncated: isTruncated }: Piece): FinishReason {
  if (reason === 'length' || isTruncated) return 'length';
  if (reason === 'function_call') return 'tool_calls';
  return reason === 'content_filter' ? 'content_filter' : 'stop';
}

function headOf({ id, created }: Piece, stamp: Stamp): Stamp {
  return { ...stamp, id: id || stamp.id, createdSeconds: created || stamp.createdSeconds };
}

/** Its bill says a total and the prompt; what of it was written may be left out. In a stream it grows from event to event. */
function usageIn({ usage: stated }: JsonObject): UsageReading | undefined {
  const usage = stated as JsonObject | null | undefined;
  if (!usage) return undefined;
  return usageReading((count) => {
    const textInput = count('prompt_tokens', usage.prompt_tokens);
    const total = count('total_tokens', usage.total_tokens);
    return { ...noUsage, textInput, textOutput: Math.max(count('completion_tokens', usage.completion_tokens), total - textInput, 0) };
  });
}

function decodeStream(stamp: Stamp): ChunkDecoder {
  let state: ChunkDecoder['state'] = 'open';
  let usage: UsageReading | undefined;
  let hasCall = false;
  return {
    push(event) {
      const body = newsIn(event.data, errorIn);
      if (body === undefined) return [];
      const told = read(piece, body);
      const head = headOf(told, stamp);
      usage = usageIn(body) ?? usage;
      const calls = callsOf(told, stamp);
      hasCall ||= calls.length > 0;
      const delta: ChatDelta = { ...(told.result && { content: told.result }), ...(calls.length > 0 && { tool_calls: calls }) };
      const chunks = Object.keys(delta).length > 0 ? [chatChunk(head, { role: 'assistant', ...delta })] : [];
      if (!told.is_end) return chunks;
      state = 'ended';
      return [...chunks, chatChunk(head, {}, { finishReason: endOf(finishReasonOf(told), hasCall) })];
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
  };
}
