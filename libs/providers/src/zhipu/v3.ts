import type { ChannelTypeInfo } from '@tollgate/contracts';
import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { errorFrom, readError } from '../error-text.ts';
import { keyParts } from '../key-parts.ts';
import { chatChunk, chatResponse } from '../openai/chunk.ts';
import { messageText } from '../openai/message-text.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatRequest } from '../openai/types.ts';
import { joinUrl } from '../openai/url.ts';
import { assertTextOnly } from '../plain-texts.ts';
import type { ChunkDecoder, JsonObject, Provider, Stamp, UsageReading } from '../provider.ts';
import { eventObject, read } from '../read-answer-shape.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { usageReading } from '../usage-reading.ts';
import { zhipuJwt } from './jwt.ts';

const answer = z.object({
  data: z.object({
    task_id: z.string().nullish(),
    choices: z.array(z.object({ content: z.string() })).min(1),
  }),
});

/** Zhipu's first models, by an API of their own that is kept for them. Source: the documentation of ChatGLM's third version */
export function zhipuV3(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: () => ({}),
    sign({ target, atMs }) {
      const [id = '', secret = ''] = keyParts(info.type, target.key);
      return { headers: { authorization: zhipuJwt(id, secret, atMs) } };
    },
    error: readError,
    chat: {
      speaks: 'own',
      url: (request, target) =>
        joinUrl(
          target.baseUrl,
          `/api/paas/v3/model-api/${encodeURIComponent(target.model)}/${request.stream === true ? 'sse-invoke' : 'invoke'}`,
        ),
      says: new Set(['temperature', 'top_p']),
      encodeRequest,
      decodeResponse(body, stamp) {
        const { data } = read(answer, body);
        const head = { ...stamp, id: data.task_id || stamp.id };
        return chatResponse(
          head,
          data.choices.map(({ content }) => ({ text: unquoted(content), finishReason: 'stop' })),
        );
      },
      decodeStream,
      usageIn: (body) => usageOf((body.data as JsonObject | null | undefined)?.usage),
      errorIn,
    },
  };
}

function encodeRequest(sent: ChatRequest): JsonObject {
  const request = translatedRequest(sent);
  assertTextOnly(request);
  const { temperature, top_p: topP } = request;
  return {
    // A system's line is one of two that speak: the user has heard it.
    prompt: request.messages.flatMap((message) => {
      const content = messageText(message);
      if (message.role !== 'system' && message.role !== 'developer') return [{ role: message.role, content }];
      return [
        { role: 'system', content },
        { role: 'user', content: 'Okay' },
      ];
    }),
    temperature: temperature ?? undefined,
    top_p: typeof topP === 'number' && topP >= 1 ? 0.99 : (topP ?? undefined),
  };
}

/** Its texts come within quotes of their own. */
function unquoted(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function usageOf(stated: unknown): UsageReading | undefined {
  const usage = stated as JsonObject | null | undefined;
  if (!usage) return undefined;
  return usageReading((count) => ({
    ...noUsage,
    textInput: count('prompt_tokens', usage.prompt_tokens),
    textOutput: count('completion_tokens', usage.completion_tokens),
  }));
}

function errorIn(body: JsonObject): UpstreamError | undefined {
  if (body.success !== false) return undefined;
  return failure({ message: body.msg, code: body.code });
}

/** Source: the list of error codes of open.bigmodel.cn */
const statuses = [
  { from: 1000, to: 1004, status: 401 },
  { from: 1110, to: 1121, status: 429 },
  { from: 1200, to: 1299, status: 400 },
  { from: 1300, to: 1301, status: 400 },
  { from: 1302, to: 1305, status: 429 },
];

function failure({ message, code }: { message: unknown; code: unknown }): UpstreamError {
  const number = typeof code === 'number' || typeof code === 'string' ? Number(code) : Number.NaN;
  const status = statuses.find(({ from, to }) => number >= from && number <= to)?.status ?? 500;
  const words = typeof message === 'string' && message !== '' ? message : undefined;
  return errorFrom({ message: words, type: 'zhipu_error', param: undefined, code: number || undefined }, { status });
}

const metaLine = /^meta:\s*(\{.*\})\s*$/m;

/** Events of raw text; the last one has a line that no other event stream has, with the bill. */
function decodeStream(stamp: Stamp): ChunkDecoder {
  let state: ChunkDecoder['state'] = 'open';
  let usage: UsageReading | undefined;
  return {
    push({ event, data, raw }) {
      if (event === 'add') return data === '' ? [] : [chatChunk(stamp, { role: 'assistant', content: data })];
      if (event === 'error' || event === 'interrupted')
        throw failure({ message: eventObject(data)?.msg ?? data, code: eventObject(data)?.code });
      if (event !== 'finish') return [];
      const meta = eventObject(metaLine.exec(raw?.toString('utf8') ?? '')?.[1] ?? '');
      usage = usageOf(meta?.usage);
      state = 'ended';
      const rest = data === '' ? [] : [chatChunk(stamp, { content: data })];
      return [...rest, chatChunk(stamp, {}, { finishReason: 'stop' })];
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
  };
}
