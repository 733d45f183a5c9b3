import { hashOfId } from './openai/call-ids.ts';
import type { ChatMessage, ToolCall } from './openai/types.ts';

/** OpenAI refuses longer ids. Source: https://github.com/agno-agi/agno/issues/5382, read 2026-11-26 */
const longestId = 40;

/**
 * Messages whose calls of tools have ids that every provider takes: short, and none twice, with results that name the same; and arguments that are JSON
 * where a call has none. Each result must follow its call. Undefined where nothing has to change.
 */
export function usableCalls(messages: readonly ChatMessage[]): ChatMessage[] | undefined {
  const taken = new Set<string>();
  /** Of the last turn with calls, the new ids by the caller's. */
  let renamed = new Map<string, string[]>();
  let isChanged = false;
  const usable = messages.map((message) => {
    const calls = message.role === 'assistant' && Array.isArray(message.tool_calls) ? message.tool_calls : undefined;
    if (calls !== undefined) {
      renamed = new Map();
      const renamedCalls = calls.map((call) => usableCall(call, { taken, renamed }));
      if (renamedCalls.every((call, at) => call === calls[at])) return message;
      isChanged = true;
      return { ...message, tool_calls: renamedCalls };
    }
    const id = message.role === 'tool' ? message.tool_call_id : undefined;
    const now = typeof id === 'string' ? renamed.get(id)?.shift() : undefined;
    if (now === undefined || now === id) return message;
    isChanged = true;
    return { ...message, tool_call_id: now };
  });
  return isChanged ? usable : undefined;
}

function usableCall(call: ToolCall, { taken, renamed }: { taken: Set<string>; renamed: Map<string, string[]> }): ToolCall {
  const { id, function: called } = call;
  const hasArguments = called === undefined || called === null || called.arguments !== '';
  if (typeof id !== 'string') return hasArguments ? call : { ...call, function: { ...called, arguments: '{}' } };
  let now = id.length > longestId ? `call_${hashOfId(id)}` : id;
  for (let count = 2; taken.has(now); count += 1) now = `call_${hashOfId(`${id}#${count}`)}`;
  taken.add(now);
  const known = renamed.get(id);
  if (known === undefined) renamed.set(id, [now]);
  else known.push(now);
  if (now === id && hasArguments) return call;
  return { ...call, id: now, ...(!hasArguments && { function: { ...called, arguments: '{}' } }) };
}
