import { hash } from 'node:crypto';
import type { ToldTools } from './callers-calls.ts';
import { hasOtherTools, withFunctionTools } from './function-tools.ts';
import { isObject } from './objects.ts';
import type { AnyRequest, ChatMessage, ChatRequest, ToolCall } from './openai/types.ts';
import { withTakenNames } from './tool-names.ts';
import { RequestRefused } from './upstream-error.ts';
import { usableCalls } from './usable-calls.ts';

/** Stands for the result of a call that was interrupted. */
const noResult = 'No result: the tool call was interrupted.';

/**
 * Messages in which each call of a tool is followed by exactly one result, and each result follows its call: all providers but some refuse the rest.
 * A result that came later moves to its call; a second one for the same call is left out; one without a call becomes text of the user.
 * Undefined where nothing has to change. Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
 */
function mendedCalls(messages: readonly ChatMessage[]): ChatMessage[] | undefined {
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

/** Source: https://platform.openai.com/docs/api-reference/chat/create */
const choices = new Set(['none', 'auto', 'required']);
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Where a part that should be a text has none; -1 for nowhere. */
function textlessPart(content: ChatMessage['content']): number {
  return Array.isArray(content) ? content.findIndex((part) => part.type === 'text' && typeof part.text !== 'string') : -1;
}

/** Whether a request has neither tools nor calls of them, and each message a known role and content: then nothing of it has to be checked or changed. */
function isPlain({ messages, tools, functions, function_call: choice }: ChatRequest): boolean {
  if (tools || functions || choice) return false;
  for (const message of messages) {
    const role = message?.role;
    if (role === 'assistant' ? message.tool_calls || message.function_call : role !== 'user' && role !== 'system' && role !== 'developer')
      return false;
    if (role !== 'assistant' && (message.content === undefined || message.content === null)) return false;
    if (textlessPart(message.content) >= 0) return false;
  }
  return true;
}

/**
 * The messages of a chat request that goes to a provider of another format, which would take a wrong one for something else. A result without the id
 * of its call gets it where one call alone is open. Throws: RequestRefused that names the field.
 */
function checkedMessages({ messages, tools, tool_choice: choice }: ChatRequest): ChatMessage[] {
  for (const [at, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    if (tool?.type === 'function' && !isObject(tool.function))
      throw new RequestRefused(`tools[${at}].function is required`, `tools[${at}].function`);
  }
  if (typeof choice === 'string' && !choices.has(choice))
    throw refused('tool_choice', `must be one of ${[...choices].join(', ')}, or a tool`);
  let changed: ChatMessage[] | undefined;
  let onlyCall: string | undefined;
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at] as ChatMessage;
    const { role, content, tool_calls: calls, tool_call_id: id } = message;
    if (!roles.has(role)) throw refused(`messages[${at}].role`, `must be one of ${[...roles].join(', ')}`);
    const textless = textlessPart(content);
    if (textless >= 0) throw refused(`messages[${at}].content[${textless}].text`, 'is required');
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

/** Longer ids of end users are refused: OpenAI takes 64 characters, OpenRouter, Zhipu and Doubao 128. Source: https://platform.openai.com/docs/guides/safety-best-practices */
const longestUser = 64;

export interface TranslatedRequest<Request> {
  request: Request;
  /** Fields of which something was changed. */
  changed: readonly string[];
  /** How the caller has its tools; undefined where the provider got them as they are. */
  tools?: ToldTools;
}

const nothing: readonly string[] = [];
const noNames: ReadonlySet<string> = new Set();

/**
 * A request of the canonical format that is about to be translated, in a form that every provider takes: a short id of the end user, tools as
 * functions with names within the model's limits, and calls of tools with their results. `keepsFreeText`: the provider has tools of free text itself.
 * Throws: RequestRefused for messages that no provider takes.
 */
export function translatedRequest<Request extends AnyRequest>(
  sent: Request,
  { model, keepsFreeText = false }: { model: string; keepsFreeText?: boolean },
): TranslatedRequest<Request> {
  if (!Array.isArray(sent.messages)) return { request: sent, changed: nothing };
  const hasLongUser = typeof sent.user === 'string' && sent.user.length > longestUser;
  if (!hasLongUser && isPlain(sent as unknown as ChatRequest)) return { request: sent, changed: nothing };
  const changed: string[] = [];
  let request = sent as unknown as ChatRequest;
  if (hasLongUser) {
    request = { ...request, user: hash('sha256', request.user as string) };
    changed.push('user');
  }
  const told = hasOtherTools(request) ? withFunctionTools(request, { keepsFreeText }) : undefined;
  if (told !== undefined) request = told.request;
  const checked = checkedMessages(request);
  const paired = mendedCalls(checked) ?? checked;
  const messages = usableCalls(paired) ?? paired;
  if (messages !== request.messages) {
    request = { ...request, messages };
    changed.push('messages');
  }
  const named = withTakenNames(request, model);
  const { freeText = noNames, isLegacy = false } = told ?? {};
  const isOther = named !== undefined || isLegacy || freeText.size > 0;
  return {
    request: (named?.request ?? request) as unknown as Request,
    changed,
    ...(isOther && { tools: { names: named?.original ?? new Map(), freeText, isLegacy } }),
  };
}
