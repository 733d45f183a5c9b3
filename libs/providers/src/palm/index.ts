import type { ChannelTypeInfo } from '@tollgate/contracts';
import { z } from 'zod';
import { errorFrom, readError, statedError } from '../error-text.ts';
import { chatResponse } from '../openai/chunk.ts';
import { instructionText, messageText } from '../openai/message-text.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatRequest } from '../openai/types.ts';
import { assertTextOnly } from '../plain-texts.ts';
import type { JsonObject, Provider } from '../provider.ts';
import { read, unreadable } from '../read-answer-shape.ts';

const answer = z.object({ candidates: z.array(z.object({ content: z.string() })).nullish() });

/** Google's PaLM, which Google has switched off: what it answers now is an error, told as such. It never streamed. */
export function palm(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: ({ key }) => ({ 'x-goog-api-key': key }),
    error: readError,
    chat: {
      speaks: 'own',
      url: (_request, target) => `${target.baseUrl}/v1beta2/models/chat-bison-001:generateMessage`,
      says: new Set(['temperature', 'top_p', 'top_k']),
      encodeRequest,
      decodeResponse(body, stamp) {
        const [first] = read(answer, body).candidates ?? [];
        if (first === undefined) throw unreadable('no candidates');
        return chatResponse(stamp, [{ text: first.content, finishReason: 'stop' }]);
      },
      decodeStream: () => ({ push: () => [], state: 'open', usage: undefined }),
      usageIn: () => undefined,
      errorIn: (body) => (body.error ? errorFrom(statedError(body), { status: 200 }) : undefined),
    },
  };
}

function encodeRequest(sent: ChatRequest): JsonObject {
  const request = translatedRequest(sent);
  assertTextOnly(request);
  const { messages, temperature, n, top_p: topP, top_k: topK } = request;
  const isSystem = ({ role }: { role: string }): boolean => role === 'system' || role === 'developer';
  const context = instructionText(messages.filter(isSystem));
  return {
    prompt: {
      context: context === '' ? undefined : context,
      messages: messages
        .filter((message) => !isSystem(message))
        .map((message) => ({ author: message.role === 'user' ? '0' : '1', content: messageText(message) })),
    },
    temperature: temperature ?? undefined,
    candidateCount: n ?? undefined,
    topP: topP ?? undefined,
    topK: topK ?? undefined,
  };
}
