import type { JsonObject, Target } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import { readSearch, responsesSearch, searchOf } from '../web-search.ts';
import { imageUrlOf, messageParts, messageText, outputLimitOf } from './message-text.ts';
import { reasoningItemsOf } from './responses-reasoning.ts';
import type { ChatMessage, ChatRequest, ContentPart, Tool, ToolCall, ToolChoice } from './types.ts';

/** OpenAI refuses an output limit below this. Source: https://platform.openai.com/docs/api-reference/responses/create */
export const leastOutputTokens = 16;

/** Fields that keep their name and meaning. */
const kept = ['stream', 'top_p', 'temperature', 'parallel_tool_calls', 'metadata', 'service_tier', 'user', 'safety_identifier'] as const;
const keptCacheFields = ['prompt_cache_key', 'prompt_cache_retention'] as const;

/**
 * A chat request as a Responses request, for models that answer there alone, or take tools there alone. Nothing is stored at the provider, so
 * encrypted reasoning is requested and sent back. Throws: RequestRefused that names the field.
 * Source: https://platform.openai.com/docs/guides/migrate-to-responses
 */
export function responsesRequest(request: ChatRequest, { model, effort }: { model: string; effort: string | undefined }): JsonObject {
  if ((request.n ?? 1) > 1) throw new RequestRefused('This model gives one answer', 'n');
  if (Array.isArray(request.modalities) && request.modalities.some((one) => one !== 'text'))
    throw new RequestRefused('This model answers with text alone', 'modalities');
  const limit = outputLimitOf(request);
  const include = ['reasoning.encrypted_content', ...(request.logprobs === true ? ['message.output_text.logprobs'] : [])];
  return {
    model,
    input: toInput(request.messages),
    store: false,
    include,
    ...Object.fromEntries([...kept, ...keptCacheFields].flatMap((field) => (isSet(request[field]) ? [[field, request[field]]] : []))),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(request.logprobs === true && isSet(request.top_logprobs) && { top_logprobs: request.top_logprobs }),
    ...reasoningOf(request, effort),
    ...textOf(request),
    ...toolsOf(request),
  };
}

/** The tokens that go out as the limit, where the caller's are fewer than the endpoint takes. */
export function raisedLimit(request: ChatRequest, { cap }: Pick<Target, 'cap'>): number | undefined {
  const limit = outputLimitOf(request);
  return limit !== undefined && limit < leastOutputTokens && cap === undefined ? leastOutputTokens : undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Summaries are requested only for callers who want to see thinking: some accounts may not have them. */
function reasoningOf({ thinking }: ChatRequest, effort: string | undefined): JsonObject {
  const type = (thinking as JsonObject | null | undefined)?.type;
  const wantsSummary = type === 'enabled' || type === 'adaptive';
  const reasoning = { ...(effort !== undefined && { effort }), ...(wantsSummary && { summary: 'auto' }) };
  return Object.keys(reasoning).length > 0 ? { reasoning } : {};
}

function textOf({ response_format: format, verbosity }: ChatRequest): JsonObject {
  const text: JsonObject = {};
  if (typeof verbosity === 'string') text.verbosity = verbosity;
  if (format?.type === 'json_schema') text.format = { type: 'json_schema', ...format.json_schema };
  else if (typeof format?.type === 'string' && format.type !== 'text') text.format = { type: format.type };
  return Object.keys(text).length > 0 ? { text } : {};
}

function toolsOf(request: ChatRequest): JsonObject {
  const { tools, tool_choice: choice, web_search_options: stated } = request;
  const search = searchOf(request) ?? (isSet(stated) ? readSearch(stated as JsonObject, 0) : undefined);
  const told = (tools ?? []).map(toTool);
  if (search !== undefined) told.push(responsesSearch(search));
  return {
    ...(told.length > 0 && { tools: told }),
    ...(search !== undefined && search.most > 0 && { max_tool_calls: search.most }),
    ...(isSet(choice) && told.length > 0 && { tool_choice: toChoice(choice as ToolChoice) }),
  };
}

/** Chat counts a function as not strict unless it says so; Responses counts it as strict. */
function toTool(tool: Tool): JsonObject {
  const { function: called, custom } = tool;
  if (called) {
    const { name, description, parameters, strict } = called;
    return {
      type: 'function',
      name,
      ...(description !== undefined && { description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      strict: strict ?? false,
    };
  }
  if (custom === undefined) return { ...tool };
  const { format, ...rest } = custom as JsonObject;
  const { type, grammar } = (format ?? {}) as { type?: unknown; grammar?: JsonObject };
  return { type: 'custom', ...rest, ...(format !== undefined && { format: type === 'grammar' ? { type, ...grammar } : format }) };
}

function toChoice(choice: ToolChoice): unknown {
  if (typeof choice === 'string') return choice;
  const { type, function: called, custom } = choice as { type: string; function?: { name: string }; custom?: { name: string } };
  if (type === 'allowed_tools') {
    const { mode, tools } = (choice.allowed_tools ?? {}) as { mode?: unknown; tools?: unknown };
    const allowed = Array.isArray(tools) ? tools.map((tool: Tool) => ({ type: tool.type, name: tool.function?.name })) : [];
    return { type, mode, tools: allowed };
  }
  const name = called?.name ?? custom?.name;
  return name === undefined ? choice : { type, name };
}

function toInput(messages: readonly ChatMessage[]): JsonObject[] {
  const calls = messages.flatMap(({ tool_calls: made }) => made ?? []);
  const customIds = new Set(calls.flatMap(({ id, custom }) => (custom === undefined ? [] : [id])));
  return messages.flatMap((message) => toItems(message, customIds));
}

function toItems(message: ChatMessage, customIds: ReadonlySet<string | undefined>): JsonObject[] {
  const { role, tool_call_id: callId } = message;
  if (role === 'tool' || role === 'function') {
    const type = customIds.has(callId) ? 'custom_tool_call_output' : 'function_call_output';
    return [{ type, call_id: callId ?? message.name ?? '', output: toOutput(message) }];
  }
  if (role === 'assistant') return toTurn(message);
  const content = messageParts(message).map(toInputPart);
  return content.length === 0 ? [] : [{ type: 'message', role, content }];
}

/** What the model thought, said and called for in one turn, in this order. */
function toTurn(message: ChatMessage): JsonObject[] {
  const items = reasoningItemsOf(message);
  const text = messageText(message);
  if (text !== '') items.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
  for (const call of message.tool_calls ?? []) items.push(toCall(call));
  return items;
}

function toCall(call: ToolCall): JsonObject {
  const { id, function: called, custom } = call;
  if (custom !== undefined) {
    const { name, input } = custom as JsonObject;
    return { type: 'custom_tool_call', call_id: id, name, input: input ?? '' };
  }
  return { type: 'function_call', call_id: id, name: called?.name ?? '', arguments: called?.arguments || '{}' };
}

function toOutput(message: ChatMessage): string | JsonObject[] {
  const parts = messageParts(message);
  return parts.some(({ type }) => type !== 'text') ? parts.map(toInputPart) : messageText(message);
}

function toInputPart(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text ?? '' };
  if (part.type === 'image_url') {
    const detail = typeof part.image_url === 'object' ? part.image_url?.detail : undefined;
    return { type: 'input_image', image_url: imageUrlOf(part), detail: detail ?? 'auto' };
  }
  if (part.type === 'file') {
    const { filename, file_data: data, file_id: id } = part.file ?? {};
    const isAddress = typeof data === 'string' && /^https?:/.test(data);
    if (isAddress) return { type: 'input_file', file_url: data };
    return { type: 'input_file', ...(filename && { filename }), ...(data && { file_data: data }), ...(id && { file_id: id }) };
  }
  throw new RequestRefused(`Content of type ${part.type} cannot be sent to this model`, 'messages');
}
