import { hostedKindOf } from '@tollgate/contracts';
import {
  type ChatMessage,
  type ChatRequest,
  type ContentPart,
  isObject,
  type JsonObject,
  type Tool,
  type ToolCall,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { SentRequest } from '../../context/route.ts';
import { UnsupportedFeatures } from '../dialect.ts';
import {
  checkFlag,
  checkInteger,
  checkModel,
  checkNames,
  checkObjects,
  mostTokens,
  picked,
  refuseUnread,
  worded,
  wrong,
} from '../fields.ts';
import { joinedWords, type RoundTripState, unpacked } from '../opaque-state.ts';
import { withDigits } from '../tool-calls.ts';
import { blocksOf, toParts, toToolCall, toToolResult } from './blocks.ts';

/** The fields of a Messages request that can be said to others, or that say nothing to the model. Source: https://docs.anthropic.com/en/api/messages */
const spokenFields = new Set([
  ...['model', 'messages', 'max_tokens', 'system', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'metadata'],
  ...[
    'thinking',
    'tools',
    'tool_choice',
    'cache_control',
    'output_config',
    'output_format',
    'service_tier',
    'speed',
    'inference_geo',
    'container',
  ],
  'context_management', // what Anthropic would cut out of a conversation, others are told whole
]);

/** All fields that a Messages request may have. */
const knownFields = new Set([
  ...spokenFields,
  ...['mcp_servers', 'compaction', 'diagnostics', 'user_profile_id', 'workspace_id'],
  ...['fallbacks', 'fallback_credit_token', 'billing_policy', 'thread'],
]);

/**
 * A Messages request in the hub's words. What the hub cannot say is noted: then only channels that speak Anthropic's dialect
 * may serve it. Throws: AppError `invalid_request` that names the field. Source: https://docs.anthropic.com/en/api/messages
 */
export function messagesRequest(sent: SentRequest): ChatRequest {
  const { json } = sent;
  if (json.max_tokens === undefined) throw wrong('max_tokens is required', 'max_tokens');
  checkInteger(json, 'max_tokens', { least: 1, most: mostTokens });
  return countedRequest(sent);
}

/** What has a price of its own, and the values that have none. */
const priced = ['speed', 'inference_geo', 'container', 'mcp_servers', 'fallbacks', 'billing_policy'];
const ordinary = new Set<unknown>(['standard', 'global']);

/** The same without an answer to come: `max_tokens` may be missing. */
export function countedRequest(sent: SentRequest): ChatRequest {
  const json = withDigits(sent, inputsOf);
  checkNames(json, knownFields);
  refuseUnread(json, (field) => knownFields.has(field));
  checkModel(json);
  checkFlag(json, 'stream');
  checkObjects(json, 'tools');
  const unsupported = new UnsupportedFeatures();
  for (const field of Object.keys(json)) if (!spokenFields.has(field)) unsupported.note('this field', field);
  if (json.thread !== undefined && json.thread !== null) throw new AppError('thread_unsupported_request', {}, { param: 'thread' });
  if (isObject(json.context_management)) unsupported.leaveOut('context_management');
  sent.unsupported = unsupported;
  const messages = messagesOf(json.messages, unsupported);
  const added = addedTools(json.messages);
  const request: ChatRequest = {
    model: json.model as string,
    messages: [...systemOf(json.system, unsupported), ...messages],
    ...picked(json, ['max_tokens', 'temperature', 'top_p', 'top_k', 'thinking', ...priced.filter((field) => !ordinary.has(json[field]))]),
    ...(json.stream === true && { stream: true }),
    ...stopOf(json),
    ...toolsOf(json, unsupported, added),
    ...effortOf(json),
    ...formatOf(json),
  };
  if (isObject(json.output_config) && isObject(json.output_config.task_budget)) unsupported.note('this field', 'output_config.task_budget');
  // The tiers that cost the ordinary price are Anthropic's own words for it.
  if (json.service_tier !== 'auto' && json.service_tier !== 'standard_only') Object.assign(request, picked(json, ['service_tier']));
  const user = isObject(json.metadata) ? json.metadata.user_id : undefined;
  if (typeof user === 'string') request.user = user;
  if (isObject(json.cache_control)) cacheAll(request, json.cache_control);
  return request;
}

/** The arguments of earlier calls. */
function inputsOf({ messages }: JsonObject): unknown[] {
  const contents = Array.isArray(messages) ? (messages as (JsonObject | null)[]).map((message) => message?.content) : [];
  return contents.flatMap((content) => (Array.isArray(content) ? (content as (JsonObject | null)[]).map((block) => block?.input) : []));
}

function systemOf(system: unknown, unsupported: UnsupportedFeatures): ChatMessage[] {
  if (system === undefined || system === null || system === '') return [];
  if (typeof system === 'string') {
    const content = withoutBillingLine(system);
    return content === '' ? [] : [{ role: 'system', content }];
  }
  const content = blocksOf(system, 'system').flatMap((block, at) => {
    const text = typeof block.text === 'string' ? withoutBillingLine(block.text) : undefined;
    return text === '' && block.text !== ''
      ? []
      : toParts(text === undefined ? block : { ...block, text }, { param: `system[${at}]`, unsupported });
  });
  return content.length === 0 ? [] : [{ role: 'system', content }];
}

/** Claude Code's line about itself, which changes with every call: before the prompts of other providers it would defeat their caches. */
function withoutBillingLine(text: string): string {
  const start = text.trimStart();
  if (!start.startsWith('x-anthropic-billing-header:')) return text;
  const end = start.indexOf('\n');
  return end < 0 ? '' : start.slice(end + 1).trimStart();
}

function messagesOf(messages: unknown, unsupported: UnsupportedFeatures): ChatMessage[] {
  if (!Array.isArray(messages)) throw wrong('messages is required: a list of messages', 'messages');
  if (messages.length === 0) throw wrong('messages must not be empty', 'messages');
  const told: ChatMessage[] = [];
  let turn: PlacedBlock[] = []; // of the model's: neighbours are one, as Anthropic hears them
  for (const [at, message] of messages.entries()) {
    const param = `messages[${at}]`;
    if (!isObject(message)) throw wrong(`${param} must be an object`, param);
    if (message.role !== 'assistant') {
      told.push(...othersMessages(message, { param, unsupported }));
      continue;
    }
    for (const block of placedBlocks(message, { param, unsupported })) turn.push(block);
    if ((messages[at + 1] as JsonObject | null | undefined)?.role === 'assistant') continue;
    told.push(assistantMessage(turn));
    turn = [];
  }
  return told;
}

interface Place {
  param: string;
  unsupported: UnsupportedFeatures;
}

function othersMessages(message: JsonObject, place: Place): ChatMessage[] {
  const { role, content } = message;
  if (typeof content === 'string' && (role === 'user' || role === 'system')) return [{ role, content }];
  const blocks = placedBlocks(message, place);
  if (role === 'user') return userMessages(blocks);
  if (role === 'system') return [{ role, content: blocks.flatMap((placed) => toParts(placed.block, placed.place)) }];
  throw wrong(`${place.param}.role must be user or assistant`, `${place.param}.role`);
}

function placedBlocks({ content }: JsonObject, { param, unsupported }: Place): PlacedBlock[] {
  return blocksOf(content, `${param}.content`).map((block, at) => ({ block, place: { param: `${param}.content[${at}]`, unsupported } }));
}

interface PlacedBlock {
  block: JsonObject;
  place: Place;
}

/** Results of tools are messages of their own and come first; what they show follows with what the user says. */
function userMessages(blocks: readonly PlacedBlock[]): ChatMessage[] {
  const results: ChatMessage[] = [];
  const content: ContentPart[] = [];
  for (const { block, place } of blocks) {
    if (block.type !== 'tool_result') {
      content.push(...toParts(block, place));
      continue;
    }
    const { id, text, isError, cached, shown } = toToolResult(block, place);
    const said = text === '' && shown.length > 0 ? `(shown below as the result of ${id})` : text;
    const told = cached === undefined ? said : [{ type: 'text', text: said, cache_control: cached }];
    results.push({ role: 'tool', tool_call_id: id, content: told, ...(isError && { is_error: true }) });
    if (shown.length > 0) content.push({ type: 'text', text: `Shown by the tool call ${id}:` }, ...shown);
  }
  if (content.length > 0) return [...results, { role: 'user', content }];
  return results.length > 0 ? results : [{ role: 'user', content: '' }];
}

function assistantMessage(blocks: readonly PlacedBlock[]): ChatMessage {
  const thinking: JsonObject[] = [];
  const content: ContentPart[] = [];
  const calls: ToolCall[] = [];
  let carried: RoundTripState = {};
  for (const { block, place } of blocks) {
    const ours = block.type === 'redacted_thinking' && typeof block.data === 'string' ? unpacked(block.data) : undefined;
    if (ours !== undefined) carried = { calls: { ...carried.calls, ...ours.calls }, text: joinedWords(carried.text, ours.text) };
    else if (block.type === 'thinking' || block.type === 'redacted_thinking') thinking.push(block);
    else if (block.type === 'tool_use') calls.push(toToolCall(block, place));
    else content.push(...toParts(block, place));
  }
  const texts = content.every((part) => part.type === 'text' && part.cache_control === undefined);
  return {
    role: 'assistant',
    content: texts ? content.map((part) => part.text ?? '').join('') || null : content,
    ...(calls.length > 0 && { tool_calls: calls.map((call) => withCarried(call, carried.calls)) }),
    ...(carried.text !== undefined && { extra_content: carried.text }),
    ...(thinking.length > 0 && { thinking_blocks: thinking }),
  };
}

function withCarried(call: ToolCall, carried: RoundTripState['calls'] = {}): ToolCall {
  const extra = Object.hasOwn(carried, call.id ?? '') ? carried[call.id ?? ''] : undefined;
  return extra === undefined ? call : { ...call, extra_content: extra };
}

function stopOf({ stop_sequences: stops }: JsonObject): { stop?: string[] } {
  if (stops === undefined || stops === null) return {};
  if (!Array.isArray(stops) || !stops.every((stop) => typeof stop === 'string')) {
    throw wrong('stop_sequences must be a list of texts', 'stop_sequences');
  }
  return stops.length === 0 ? {} : { stop: stops };
}

/** Tools that come in the midst of a conversation: what runs at the provider costs the same there. They are Anthropic's own way of saying it. */
function addedTools(messages: unknown): Tool[] {
  const blocks = (messages as JsonObject[]).flatMap(({ content }) => (Array.isArray(content) ? (content as JsonObject[]) : []));
  return blocks.flatMap(({ type, tool }) => {
    if (type !== 'tool_addition' || !isObject(tool)) return [];
    const { type: kind = 'custom' } = isObject(tool.definition) ? tool.definition : tool;
    return kind === 'tool_reference' || kind === null ? [] : [{ type: worded(kind) }];
  });
}

function toolsOf(
  { tools, tool_choice: choice }: JsonObject,
  unsupported: UnsupportedFeatures,
  added: readonly Tool[],
): Partial<ChatRequest> {
  const list = (tools ?? []) as JsonObject[];
  const all = [...list.map((tool, at) => toTool(tool, { param: `tools[${at}]`, unsupported })), ...added];
  return {
    ...(all.length > 0 && { tools: all }),
    ...choiceOf(choice),
  };
}

/** Tools that Anthropic itself knows or runs keep their own shape. */
function toTool(tool: JsonObject, { param, unsupported }: Place): Tool {
  const { type, name, description, input_schema: parameters, strict, cache_control } = tool;
  if (type !== undefined && type !== null && type !== 'custom') {
    if (hostedKindOf(type) === 'search') unsupported.noteSearch(`a tool of type ${worded(type)}`, param);
    else unsupported.note(`a tool of type ${worded(type)}`, param);
    return tool as unknown as Tool;
  }
  if (typeof name !== 'string' || name === '') throw wrong(`${param}.name is required`, param);
  if (!isObject(parameters)) throw wrong(`${param}.input_schema is required`, param);
  const examples: unknown = tool.input_examples;
  if (Array.isArray(examples) && examples.length > 0) unsupported.note('examples of a tool', `${param}.input_examples`);
  if (Array.isArray(tool.allowed_callers) && tool.allowed_callers.some((caller) => caller !== 'direct')) {
    unsupported.note('who may call a tool', `${param}.allowed_callers`);
  }
  const described = typeof description === 'string' ? { description } : {};
  const checked = typeof strict === 'boolean' ? { strict } : {};
  return { type: 'function', function: { name, ...described, parameters, ...checked }, ...(cache_control ? { cache_control } : {}) };
}

function choiceOf(choice: unknown): Partial<ChatRequest> {
  if (choice === undefined || choice === null) return {};
  if (!isObject(choice)) throw wrong('tool_choice must be an object', 'tool_choice');
  const parallel = choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {};
  if (choice.type === 'auto' || choice.type === 'none') return { tool_choice: choice.type, ...parallel };
  if (choice.type === 'any') return { tool_choice: 'required', ...parallel };
  if (choice.type === 'tool' && typeof choice.name === 'string') {
    return { tool_choice: { type: 'function', function: { name: choice.name } }, ...parallel };
  }
  throw wrong('tool_choice.type must be auto, any, tool or none', 'tool_choice.type');
}

/** How much thought a budget is, in the words that others have for it. Units: tokens. */
const efforts: readonly (readonly [most: number, effort: string])[] = [
  [2_048, 'low'],
  [8_192, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
];

function effortOf({ thinking, output_config: config }: JsonObject): { reasoning_effort?: string } {
  const stated = isObject(config) ? config.effort : undefined;
  if (typeof stated === 'string') return { reasoning_effort: stated };
  if (!isObject(thinking) || thinking.type !== 'enabled') return {};
  const budget = thinking.budget_tokens;
  if (typeof budget !== 'number') throw wrong('thinking.budget_tokens is required', 'thinking.budget_tokens');
  return { reasoning_effort: efforts.find(([most]) => budget <= most)?.[1] };
}

/** `output_format` is the older name. Source: https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
function formatOf({ output_config: config, output_format: older }: JsonObject): Partial<ChatRequest> {
  const format = (isObject(config) ? config.format : undefined) ?? older;
  if (!isObject(format)) return {};
  if (format.type !== 'json_schema' || !isObject(format.schema))
    throw wrong('output_config.format must be a json_schema', 'output_config.format');
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema, strict: true } } };
}

/** The whole prompt is to be cached: said at its end, as Anthropic does. */
function cacheAll(request: ChatRequest, cache_control: JsonObject): void {
  const last = request.messages.at(-1);
  if (last === undefined) return;
  const parts = typeof last.content === 'string' ? [{ type: 'text', text: last.content }] : (last.content ?? []);
  if (parts.length > 0) last.content = parts.map((part, at) => (at === parts.length - 1 ? { ...part, cache_control } : part));
}
