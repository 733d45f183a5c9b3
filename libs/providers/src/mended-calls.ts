import type { ChatMessage, ToolCall } from './openai/types.ts';

/** Stands for the result of a call that was interrupted. */
const noResult = 'No result: the tool call was interrupted.';

/**
 * Messages in which each call of a tool is followed by exactly one result, and each result follows its call: all providers but some refuse the rest.
 * A result that came later moves to its call; a second one for the same call is left out; one without a call becomes text of the user.
 * Undefined where nothing has to change. Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
 */
export function mendedCalls(messages: readonly ChatMessage[]): ChatMessage[] | undefined {
  if (isWhole(messages)) return undefined;
  const results = new Map<string, ChatMessage[]>();
  for (const message of messages.toReversed()) {
    const id = message.tool_call_id;
    if (message.role !== 'tool' || typeof id !== 'string') continue;
    const before = results.get(id);
    if (before === undefined) results.set(id, [message]);
    else before.push(message);
  }
  const used = new Set<ChatMessage>();
  const called = new Set(messages.flatMap((message) => callsOf(message).map(({ id }) => id)));
  const mended: ChatMessage[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!used.has(message) && !called.has(message.tool_call_id)) mended.push(asText(message));
      continue;
    }
    mended.push(message);
    for (const { id } of callsOf(message)) {
      if (typeof id !== 'string') continue;
      const result = results.get(id)?.pop();
      if (result !== undefined) used.add(result);
      mended.push(result ?? { role: 'tool', tool_call_id: id, content: noResult });
    }
  }
  return mended;
}

function isWhole(messages: readonly ChatMessage[]): boolean {
  let open: Set<unknown> | undefined;
  for (const message of messages) {
    if (message?.role === 'tool') {
      if (open?.delete(message.tool_call_id) !== true) return false;
    } else {
      if (open !== undefined && open.size > 0) return false;
      const calls = callsOf(message);
      open = calls.length === 0 ? undefined : new Set(calls.map(({ id }) => id));
    }
  }
  return open === undefined || open.size === 0;
}

function callsOf(message: ChatMessage): readonly ToolCall[] {
  return message?.role === 'assistant' && Array.isArray(message.tool_calls) ? message.tool_calls : [];
}

function asText({ content, tool_call_id: id }: ChatMessage): ChatMessage {
  const heading = { type: 'text', text: `Result of an earlier tool call${id === undefined ? '' : ` (${id})`}:\n` };
  return { role: 'user', content: [heading, ...(typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []))] };
}
