import type { ChannelTypeInfo } from '@tollgate/contracts';
import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { errorFrom, readError } from '../error-text.ts';
import { jsonLines } from '../json-lines.ts';
import { keyParts } from '../key-parts.ts';
import { chatChunk } from '../openai/chunk.ts';
import type { ChatDelta } from '../openai/types.ts';
import { joinUrl } from '../openai/url.ts';
import type { ChunkDecoder, JsonObject, Provider, Stamp, UsageReading } from '../provider.ts';
import { newsIn, read, unreadable } from '../read-answer-shape.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { usageReading } from '../usage-reading.ts';
import { encodeRequest } from './request.ts';
import { signSpark } from './sign.ts';
import { endpointOf } from './version.ts';

/** iFlytek's Spark: one WebSocket a question. Source: https://www.xfyun.cn/doc/spark/Web.html */
export function spark(info: ChannelTypeInfo): Provider {
  const defaultVersion = info.needs.other?.default ?? '';
  return {
    baseUrl: info.defaultBaseUrl,
    headers: () => ({}),
    sign: (call) => signSpark(call, info.type),
    error: readError,
    chat: {
      speaks: 'own',
      transport: 'websocket',
      framing: jsonLines,
      streamsOnly: true,
      url: (_request, target) => joinUrl(target.baseUrl, endpointOf(target, defaultVersion).path),
      says: new Set(['temperature', 'top_k', 'user']),
      encodeRequest: (request, target) =>
        encodeRequest(request, { appId: keyParts(info.type, target.key)[0] ?? '', domain: endpointOf(target, defaultVersion).domain }),
      decodeResponse() {
        throw unreadable('an answer in one');
      },
      decodeStream,
      usageIn,
      errorIn,
    },
  };
}

const frame = z.object({
  header: z.object({ sid: z.string().nullish(), status: z.number().nullish() }),
  payload: z
    .object({
      choices: z
        .object({
          text: z.array(
            z.object({
              content: z.string().nullish(),
              reasoning_content: z.string().nullish(),
              function_call: z.object({ name: z.string(), arguments: z.string().nullish() }).nullish(),
            }),
          ),
        })
        .nullish(),
    })
    .nullish(),
});

/** Source: https://www.xfyun.cn/doc/spark/%E6%8E%A5%E5%8F%A3%E8%AF%B4%E6%98%8E.html */
const statuses = new Map([
  [10013, 400],
  [10014, 400],
  [10019, 400],
  [10163, 400],
  [10907, 400],
  [10110, 503],
  [11200, 403],
  [11201, 429],
  [11202, 429],
  [11203, 429],
]);

function errorIn(body: JsonObject): UpstreamError | undefined {
  const { code, message } = (body.header ?? {}) as JsonObject;
  if (typeof code !== 'number' || code === 0) return undefined;
  const words = typeof message === 'string' && message !== '' ? message : undefined;
  const kind = code === 11200 ? 'credentials' : undefined;
  return errorFrom({ message: words, type: 'xunfei_error', param: undefined, code }, { status: statuses.get(code) ?? 500, kind });
}

function usageIn(body: JsonObject): UsageReading | undefined {
  const stated = ((body.payload as JsonObject | undefined)?.usage as JsonObject | undefined)?.text as JsonObject | undefined;
  if (!stated) return undefined;
  return usageReading((count) => ({
    ...noUsage,
    textInput: count('prompt_tokens', stated.prompt_tokens),
    textOutput: count('completion_tokens', stated.completion_tokens),
  }));
}

function decodeStream(stamp: Stamp): ChunkDecoder {
  let state: ChunkDecoder['state'] = 'open';
  let usage: UsageReading | undefined;
  let calls = 0;
  return {
    push(event) {
      const body = newsIn(event.data, errorIn);
      if (body === undefined) return [];
      const { header, payload } = read(frame, body);
      const head = { ...stamp, id: header.sid || stamp.id };
      usage = usageIn(body) ?? usage;
      const chunks = (payload?.choices?.text ?? []).flatMap(({ content, reasoning_content: reasoning, function_call: call }) => {
        const delta: ChatDelta = { ...(content && { content }), ...(reasoning && { reasoning_content: reasoning }) };
        if (call) {
          const id = `call_${stamp.id
            .replace(/[^a-zA-Z0-9]/g, '')
            .slice(-20)
            .padStart(20, '0')}${String(calls).padStart(4, '0')}`;
          delta.tool_calls = [{ index: calls, id, type: 'function', function: { name: call.name, arguments: call.arguments || '{}' } }];
          calls += 1;
        }
        return Object.keys(delta).length > 0 ? [chatChunk(head, { role: 'assistant', ...delta })] : [];
      });
      if (header.status !== 2) return chunks;
      state = 'ended';
      return [...chunks, chatChunk(head, {}, { finishReason: calls > 0 ? 'tool_calls' : 'stop' })];
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
  };
}
