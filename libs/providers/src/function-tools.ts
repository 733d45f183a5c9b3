import { freeTextFunction, functionCallOf } from './free-text-tools.ts';
import { isObject, objectsIn } from './objects.ts';
import type { ChatMessage, ChatRequest, Tool, ToolCall, ToolChoice } from './openai/types.ts';
import type { JsonObject } from './provider.ts';
import { RequestRefused } from './upstream-error.ts';

/** A request whose tools are functions, and what its caller has in their place. */
export interface FunctionTools {
  request: ChatRequest;
  /** Names of the caller's tools of free text. */
  freeText: ReadonlySet<string>;
  /** The caller uses `functions`, the form of chat completions before there were tools. */
  isLegacy: boolean;
}

/** Whether a request has tools or calls of a form that `withFunctionTools` changes. */
export function hasOtherTools({ functions, function_call: choice, tools, messages }: ChatRequest): boolean {
  if (isSet(functions) || isSet(choice)) return true;
  if (Array.isArray(tools) && tools.some((tool) => isObject(tool?.custom))) return true;
  return messages.some((message) => {
    if (message === null || typeof message !== 'object') return false;
    if (message.role === 'function' || isSet(message.function_call)) return true;
    return Array.isArray(message.tool_calls) && message.tool_calls.some((call) => isObject(call?.custom));
  });
}

/**
 * The request with functions in the place of tools of free text (unless `keepsFreeText`) and of legacy `functions`.
 * Throws: RequestRefused where a request uses both forms. Source: https://platform.openai.com/docs/api-reference/chat/create
 */
export function withFunctionTools(sent: ChatRequest, { keepsFreeText }: { keepsFreeText: boolean }): FunctionTools {
  const { request, isLegacy } = withoutLegacy(sent);
  const freeText = new Set<string>();
  if (keepsFreeText) return { request, freeText, isLegacy };
  const tools = (Array.isArray(request.tools) ? request.tools : []).map((tool, at) => {
    if (!isObject(tool?.custom)) return tool;
    const { name, description, format } = tool.custom;
    if (typeof name !== 'string' || name === '') throw refused(`tools[${at}].custom.name`, 'is required');
    freeText.add(name);
    const grammar = isObject(format) && isObject(format.grammar) ? format.grammar : undefined;
    return { type: 'function', function: freeTextFunction({ name, description, grammar }) };
  });
  const messages = request.messages.map((message) => {
    const calls = message?.tool_calls;
    if (!Array.isArray(calls) || !calls.some((call) => isObject(call?.custom))) return message;
    return { ...message, tool_calls: calls.map((call) => (isObject(call?.custom) ? (functionCallOf(call) as unknown as ToolCall) : call)) };
  });
  const choice = isObject(request.tool_choice) ? { tool_choice: choiceOf(request.tool_choice) } : {};
  return { request: { ...request, ...(tools.length > 0 && { tools }), messages, ...choice }, freeText, isLegacy };
}

function choiceOf(choice: JsonObject): ToolChoice {
  const allowed = choice.allowed_tools;
  if (isObject(allowed) && Array.isArray(allowed.tools))
    return { ...choice, allowed_tools: { ...allowed, tools: allowed.tools.map((tool) => chosen(tool as JsonObject)) } } as never;
  return chosen(choice) as unknown as ToolChoice;
}

function chosen(tool: JsonObject): JsonObject {
  const { custom } = tool;
  return isObject(custom) ? { type: 'function', function: { name: custom.name } } : tool;
}

function withoutLegacy(sent: ChatRequest): { request: ChatRequest; isLegacy: boolean } {
  const { functions, function_call: choice, ...request } = sent;
  const isLegacy = isSet(functions) || isSet(choice);
  if (isSet(functions) && !Array.isArray(functions)) throw refused('functions', 'must be a list');
  if (isLegacy && isSet(request.tools)) throw refused('functions', 'cannot be sent together with tools');
  const tools = objectsIn(functions).map((called): Tool => ({ type: 'function', function: called as unknown as Tool['function'] }));
  const hasTools = tools.length > 0;
  return {
    request: {
      ...request,
      ...(hasTools && { tools, parallel_tool_calls: false }), // a legacy message holds one call
      ...(hasTools && isSet(choice) && { tool_choice: legacyChoice(choice) }),
      messages: withoutLegacyCalls(request.messages),
    },
    isLegacy,
  };
}

function legacyChoice(choice: unknown): ToolChoice {
  if (typeof choice === 'string') return choice;
  const { name } = isObject(choice) ? choice : {};
  if (typeof name !== 'string' || name === '') throw refused('function_call.name', 'is required');
  return { type: 'function', function: { name } };
}

/** Legacy calls have no ids: a result is one of the last call before it. */
function withoutLegacyCalls(messages: readonly ChatMessage[]): ChatMessage[] {
  let calls = 0;
  return messages.map((message) => {
    const { function_call: called, ...rest } = message ?? {};
    if (message?.role === 'function') return { ...rest, role: 'tool', tool_call_id: `call_legacy_${calls}` } as ChatMessage;
    if (message?.role !== 'assistant' || !isObject(called)) return message;
    calls += 1;
    const call = { id: `call_legacy_${calls}`, type: 'function', function: called } as ToolCall;
    return { ...rest, tool_calls: [...(rest.tool_calls ?? []), call] } as ChatMessage;
  });
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function refused(param: string, why: string): RequestRefused {
  return new RequestRefused(`${param} ${why}`, param);
}
