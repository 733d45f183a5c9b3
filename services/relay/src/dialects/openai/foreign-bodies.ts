import {
  type ChatMessage,
  type ChatRequest,
  filledIn,
  isObject,
  type JsonObject,
  objectsIn,
  patchJson,
  plainRequest,
} from '@tollgate/providers';
import type { SentRequest } from '../../context/route.ts';
import { countedRequest } from '../anthropic/messages-request.ts';

import { responsesRequest } from '../responses/responses-request.ts';

/**
 * Turns what some clients send to chat completions in the form of another API into its own: a whole Responses body, blocks and tools of Anthropic,
 * tools without the nested `function`, and empty lists of tools, which OpenAI refuses. Throws: AppError `invalid_request`.
 * Source: https://github.com/router-for-me/CLIProxyAPI/issues/658 (Cursor)
 */
export function toChatBody(sent: SentRequest): void {
  const { json } = sent;
  if (json.messages === undefined && json.input !== undefined) {
    const whole = filledBody(sent);
    replaceBody(sent, {
      ...translated(sent, responsesRequest({ ...whole, address: {} })),
      ...(json.stream_options ? { stream_options: json.stream_options } : {}),
    });
    return;
  }
  const set = { ...toolsOf(json), ...messagesOf(sent) };
  const isEmpty = Array.isArray(json.tools) && json.tools.length === 0;
  const remove = [...(isEmpty ? ['tools', 'tool_choice', 'parallel_tool_calls'] : []), ...(set.messages === undefined ? [] : ['system'])];
  if (Object.keys(set).length === 0 && remove.length === 0) return;
  sent.bytes = patchJson(sent.bytes, { set, remove });
  sent.json = Object.fromEntries(Object.entries({ ...sent.json, ...set }).filter(([name]) => !remove.includes(name)));
}

/** The request with the long texts in it, which were kept apart. */
function filledBody(sent: SentRequest): SentRequest {
  if (sent.long === undefined) return sent;
  sent.bytes = Buffer.concat(sent.long.whole(sent.bytes));
  sent.json = filledIn(sent.json, sent.long) as JsonObject;
  sent.long = undefined;
  return sent;
}

function replaceBody(sent: SentRequest, json: JsonObject): void {
  sent.json = json;
  sent.bytes = Buffer.from(JSON.stringify(json));
}

/** In the words of chat completions alone. Throws where it holds what they cannot say. */
function translated({ unsupported }: SentRequest, request: ChatRequest): JsonObject {
  if (unsupported?.what !== undefined) throw unsupported.refusal(request.model);
  return plainRequest(request, request.model) as unknown as JsonObject;
}

const anthropicBlocks = new Set<unknown>(['tool_use', 'tool_result']);

/** Pictures and documents have one name in both, but only Anthropic's have a `source`. */
function isAnthropic({ type, source }: JsonObject): boolean {
  return anthropicBlocks.has(type) || (isObject(source) && (type === 'image' || type === 'document'));
}

function messagesOf(sent: SentRequest): { messages?: unknown } {
  const { model, messages, system } = sent.json;
  const holdsBlocks = objectsIn(messages).some(({ content }) => objectsIn(content).some(isAnthropic));
  if (!holdsBlocks && system === undefined) return {};
  const whole = filledBody(sent);
  const asked = { ...whole, json: { model, messages: whole.json.messages, system: whole.json.system } };
  if (holdsBlocks) return { messages: translated(asked, countedRequest(asked)).messages };
  const [instruction] = countedRequest({ ...asked, json: { ...asked.json, messages: [{ role: 'user', content: '.' }] } }).messages;
  return { messages: [instruction as ChatMessage, ...(whole.json.messages as ChatMessage[])] };
}

function toolsOf({ tools, tool_choice: choice }: JsonObject): JsonObject {
  const list = objectsIn(tools);
  const isNested = list.every((tool) => isObject(tool.function) || isObject(tool.custom) || typeof tool.name !== 'string');
  return {
    ...(!isNested && { tools: list.map(nestedTool) }),
    ...(isObject(choice) && { ...nestedChoice(choice) }),
  };
}

function nestedTool(tool: JsonObject): JsonObject {
  const { type = 'function', name, description, input_schema: schema, parameters = schema, strict, format } = tool;
  if (isObject(tool.function) || isObject(tool.custom) || typeof name !== 'string') return tool;
  const described = { name, ...(description !== undefined && { description }) };
  if (type === 'custom' && schema === undefined) return { type, custom: { ...described, ...(format !== undefined && { format }) } };
  if (type !== 'function' && type !== 'custom') return tool;
  return {
    type: 'function',
    function: { ...described, ...(parameters !== undefined && { parameters }), ...(strict !== undefined && { strict }) },
  };
}

function nestedChoice({ type, name, function: called }: JsonObject): { tool_choice?: unknown } {
  if (type === 'auto' || type === 'none') return { tool_choice: type };
  if (type === 'any') return { tool_choice: 'required' };
  if ((type === 'tool' || type === 'function') && called === undefined && typeof name === 'string')
    return { tool_choice: { type: 'function', function: { name } } };
  return {};
}
