import type { ChannelTypeInfo } from '@tollgate/contracts';
import { z } from 'zod';
import { errorFrom, readError, statedError } from '../error-text.ts';
import { chatChunk, chatResponse } from '../openai/chunk.ts';
import { bearer } from '../openai/compatible.ts';
import { messageText } from '../openai/message-text.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatRequest } from '../openai/types.ts';
import { assertTextOnly } from '../plain-texts.ts';
import type { ChunkDecoder, JsonObject, Provider, Stamp, Target } from '../provider.ts';
import { newsIn, read } from '../read-answer-shape.ts';
import type { UpstreamError } from '../upstream-error.ts';

const documents = z.array(z.object({ title: z.string().nullish(), url: z.string().nullish() })).nullish();
const whole = z.object({ answer: z.string(), documents });
const piece = z.object({ content: z.string().nullish(), finish: z.boolean().nullish(), documents });

/** AI Proxy's knowledge bases: the last message is the question, `other` names the library, sources follow the answer. */
export function aiproxyLibrary(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: bearer,
    error: readError,
    chat: {
      speaks: 'own',
      url: (_request, target) => `${target.baseUrl}/api/library/ask`,
      encodeRequest,
      decodeResponse(body, stamp) {
        const { answer, documents: sources } = read(whole, body);
        return chatResponse(stamp, [{ text: answer + listed(sources), finishReason: 'stop' }]);
      },
      decodeStream,
      usageIn: () => undefined,
      errorIn,
    },
  };
}

function encodeRequest(sent: ChatRequest, target: Target): JsonObject {
  const request = translatedRequest(sent);
  assertTextOnly(request);
  const { messages, stream } = request;
  const last = messages.at(-1);
  return {
    model: target.model,
    query: last === undefined ? '' : messageText(last),
    libraryId: target.other ?? '',
    stream: stream === true,
  };
}

function decodeStream(stamp: Stamp): ChunkDecoder {
  let state: ChunkDecoder['state'] = 'open';
  return {
    push(event) {
      const body = newsIn(event.data, errorIn);
      if (body === undefined) return [];
      const { content, finish, documents: sources } = read(piece, body);
      const text = (content ?? '') + (finish ? listed(sources) : '');
      const chunks = text === '' ? [] : [chatChunk(stamp, { role: 'assistant', content: text })];
      if (!finish) return chunks;
      state = 'ended';
      return [...chunks, chatChunk(stamp, {}, { finishReason: 'stop' })];
    },
    get state() {
      return state;
    },
    usage: undefined,
  };
}

/** Success and failure both come with status 200. */
function errorIn(body: JsonObject): UpstreamError | undefined {
  const code = body.errCode;
  if (typeof code !== 'number' || code === 0) return undefined;
  return errorFrom({ ...statedError(body), code }, { status: 200 });
}

function listed(sources: z.infer<typeof documents>): string {
  if (!sources || sources.length === 0) return '';
  const lines = sources.map(({ title, url }, index) => `${index + 1}. [${title ?? url ?? ''}](${url ?? ''})`);
  return `\n\n### References\n\n${lines.join('\n')}\n`;
}
