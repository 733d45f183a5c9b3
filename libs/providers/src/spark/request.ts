import { messageText, outputLimitOf } from '../openai/message-text.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatMessage, ChatRequest } from '../openai/types.ts';
import { assertNoMedia, assertNoStops, assertPlainFormat } from '../plain-texts.ts';
import type { JsonObject } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import { isLater } from './version.ts';

/** The one message that is sent. Source: https://www.xfyun.cn/doc/spark/Web.html */
export function encodeRequest(sent: ChatRequest, { appId, domain }: { appId: string; domain: string }): JsonObject {
  const request = translatedRequest(sent);
  assertNoMedia(request);
  assertPlainFormat(request);
  assertNoStops(request);
  const { temperature, top_k: topK, tools, tool_choice: choice, user } = request;
  const isAnyTool = choice !== 'none' && tools !== undefined && tools !== null && tools.length > 0;
  if (isAnyTool && !isLater(domain)) throw new RequestRefused('This version of the model knows no tools', 'tools');
  if (isAnyTool && choice !== undefined && choice !== null && choice !== 'auto') {
    throw new RequestRefused('This model chooses its tools itself', 'tool_choice');
  }
  const functions = isAnyTool ? tools.flatMap((tool) => (tool.function ? [tool.function] : [])) : [];
  return {
    header: { app_id: appId, uid: user ? user.slice(0, 32) : undefined },
    parameter: {
      chat: {
        domain,
        temperature: temperature ?? undefined,
        top_k: typeof topK === 'number' ? Math.min(6, Math.max(1, Math.round(topK))) : undefined,
        max_tokens: outputLimitOf(request),
      },
    },
    payload: {
      message: { text: request.messages.flatMap((message) => toTexts(message, isLater(domain))) },
      functions:
        functions.length === 0
          ? undefined
          : { text: functions.map(({ name, description, parameters }) => ({ name, description, parameters })) },
    },
  };
}

/** It makes one call and is told what came of it in a user's words: it has no turn for a result. */
function toTexts(message: ChatMessage, knowsSystem: boolean): JsonObject[] {
  const content = messageText(message);
  if (message.role === 'system' || message.role === 'developer') {
    if (knowsSystem) return [{ role: 'system', content }];
    return [
      { role: 'user', content },
      { role: 'assistant', content: 'Okay' },
    ];
  }
  if (message.role === 'tool' || message.role === 'function' || (message.tool_calls ?? []).length > 0) {
    throw new RequestRefused('This model cannot be told the results of tools', 'messages');
  }
  return [{ role: message.role, content }];
}
