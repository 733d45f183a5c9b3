import { isObject } from './objects.ts';
import type { ChatMessage, ChatRequest } from './openai/types.ts';
import { RequestRefused } from './upstream-error.ts';

/** Source: https://platform.openai.com/docs/api-reference/chat/create */
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Whether a request has neither tools nor calls of them, and each message a known role and content: then nothing of it has to be checked or changed. */
export function isPlain({ messages, tools, functions, function_call: choice }: ChatRequest): boolean {
  if (tools || functions || choice) return false;
  for (const message of messages) {
    const role = message?.role;
    if (role === 'assistant' ? message.tool_calls || message.function_call : role !== 'user' && role !== 'system' && role !== 'developer')
      return false;
    if (role !== 'assistant' && (message.content === undefined || message.content === null)) return false;
  }
  return true;
}

/**
 * The messages of a chat request that goes to a provider of another format, which would take a wrong one for something else. A result without the id
 * of its call gets it where one call alone is open. Throws: RequestRefused that names the field.
 */
export function checkedMessages({ messages, tools }: ChatRequest): ChatMessage[] {
  for (const [at, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    if (tool?.type === 'function' && !isObject(tool.function))
      throw new RequestRefused(`tools[${at}].function is required`, `tools[${at}].function`);
  }
  let changed: ChatMessage[] | undefined;
  let onlyCall: string | undefined;
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at] as ChatMessage;
    const { role, content, tool_calls: calls, tool_call_id: id } = message;
    if (!roles.has(role)) throw refused(`messages[${at}].role`, `must be one of ${[...roles].join(', ')}`);
    if (role === 'assistant') {
      onlyCall = Array.isArray(calls) && calls.length === 1 ? (calls[0]?.id ?? undefined) : undefined;
      continue;
    }
    if (content === undefined || content === null) throw refused(`messages[${at}].content`, 'is required');
    if (role !== 'tool') continue;
    if (typeof id !== 'string' || id === '') {
      if (typeof onlyCall !== 'string' || onlyCall === '') throw refused(`messages[${at}].tool_call_id`, 'is required');
      changed ??= [...messages];
      changed[at] = { ...message, tool_call_id: onlyCall };
    }
    onlyCall = undefined;
  }
  return changed ?? messages;
}

function refused(param: string, why: string): RequestRefused {
  return new RequestRefused(`${param} ${why}`, param);
}
