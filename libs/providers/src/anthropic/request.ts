import { factsOf } from '@tollgate/contracts/catalog';
import type { OmittableField } from '../left-out.ts';
import { rulesOf, wantedEffort } from '../model-rules.ts';
import { objectSchema } from '../object-schema.ts';
import { argumentsObject } from '../openai/call-arguments.ts';
import { readDataUrl } from '../openai/data-url.ts';
import { jsonRuleOf } from '../openai/json-rule.ts';
import { imageUrlOf, messageParts, messageText, outputLimitOf } from '../openai/message-text.ts';
import { isSealedReasoning } from '../openai/responses-reasoning.ts';
import { stopsOf } from '../openai/stops.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatMessage, ChatRequest, ContentPart, Tool } from '../openai/types.ts';
import type { JsonObject, Target } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import { anthropicSearch, searchOf } from '../web-search.ts';
import { callIdOf } from './call-ids.ts';
import { bindable } from './structured-output.ts';
import { isThinkingName, type ThinkingPlan, thinkingFor } from './thinking.ts';

/** What is asked for where the caller names no limit, and nobody knows the model's. */
const unknownMaxTokens = 4096;
/** Prompts are weighed to within a quarter; a limit beyond what is left of the context would be refused. */
const weighedTimes = 1.25;
const contextMargin = 1024;
/** Fields of its own with a price of their own: whoever says them is charged, so they are told. */
const ownFields = ['speed', 'inference_geo', 'container', 'mcp_servers', 'fallbacks', 'billing_policy'];
const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
/** Stands where Anthropic refuses to have nothing. */
const filler = '...';

/** Fields that only tune, or are notes, which are sent. */
export const says: ReadonlySet<OmittableField> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'reasoning_effort',
  'user',
  'safety_identifier',
]);

/** `claude-x-thinking` is our shorthand for `claude-x` with thinking on. */
export function modelOf({ model }: Target): string {
  return isThinkingName(model) ? model.slice(0, -'-thinking'.length) : model;
}

/**
 * A chat request as a Messages request. What only tunes and Anthropic does not know (penalties, seed) is left out.
 * `keepsSchemas`: whether its newer models may be bound to schemas where they are. Throws: RequestRefused for content that it cannot take.
 * Source: https://docs.anthropic.com/en/api/messages
 */
export function encodeRequest(sent: ChatRequest, target: Target, { keepsSchemas = true } = {}): JsonObject {
  const request = translatedRequest(sent, { ownTools: true });
  const model = modelOf(target);
  const rules = rulesOf(model);
  const isBound = keepsSchemas && Boolean(request.tools ?? request.response_format) && rules.structured === 'schema';
  const schema = isBound ? boundSchema(request) : undefined;
  const asker = request.user || request.safety_identifier;
  const toolChoice = toToolChoice(request);
  const { maxTokens, thinking, effort } = thinkingPlan(request, target);
  if (thinking === undefined && effort === undefined && (wantedEffort(request) ?? 'none') !== 'none')
    target.changes?.add('reasoning_effort');
  const search = searchOf(request);
  const tools = [...(request.tools ?? []).map((tool) => toTool(tool, isBound)), ...(search === undefined ? [] : [anthropicSearch(search)])];
  const told: JsonObject = {
    model,
    system: toSystem(request, schema === undefined ? jsonRuleOf(request) : ''),
    messages: toMessages(withoutBeginning(request.messages, target)),
    max_tokens: maxTokens,
    stream: request.stream === true ? true : undefined,
    stop_sequences: toStopSequences(request),
    ...sampling(request, target, thinking !== undefined),
    thinking,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toolChoice : undefined,
    output_config: (schema ?? effort) && { effort, format: schema && { type: 'json_schema', schema } },
    metadata: asker ? { user_id: asker } : undefined,
  };
  for (const field of ownFields) if (isSaid(request[field])) told[field] = request[field];
  return told;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The limit that goes out: Anthropic must be told one. */
export function outputLimit(request: ChatRequest, target: LimitedTarget): number {
  return thinkingPlan(request, target).maxTokens;
}

export type LimitedTarget = Pick<Target, 'model' | 'cap' | 'maxOutput' | 'promptTokens'>;

/** The longest answer of the model, as far as its context has room for it beside the prompt. */
function defaultLimit({ model, maxOutput, promptTokens = 0 }: LimitedTarget): number {
  const { context, output } = factsOf(model)?.limits ?? {};
  const longest = maxOutput ?? output ?? unknownMaxTokens;
  if (context === undefined) return longest;
  return Math.min(longest, Math.max(unknownMaxTokens, context - Math.ceil(promptTokens * weighedTimes) - contextMargin));
}

/** The output limit and the share of thought that go out. */
export function thinkingPlan(request: ChatRequest, target: LimitedTarget): ThinkingPlan {
  const { model, cap } = target;
  const { tool_choice: choice } = request;
  const isToolForced = choice === 'required' || (typeof choice === 'object' && Boolean(choice?.function?.name));
  return thinkingFor(request, {
    model,
    limit: outputLimitOf(request),
    defaultLimit: defaultLimit(target),
    rules: rulesOf(model).reasoning,
    isToolForced,
    isCapped: cap !== undefined,
  });
}

const samplingFields = ['temperature', 'top_p', 'top_k'] as const;

/** What of it the model takes: none of it, one of two, or all; thinking by a budget wants a temperature of exactly 1 and nothing else. */
function sampling(request: ChatRequest, { model, changes }: Target, isThinking: boolean): JsonObject {
  const { refused = [], exclusive = [], most = {} } = rulesOf(model).parameters ?? {};
  const isSaid = (name: string) => request[name] !== undefined && request[name] !== null;
  const asked = samplingFields.filter(isSaid);
  const left = asked.filter((name) => refused.includes(name) || isThinking);
  const twice = isThinking ? [] : exclusive.flatMap(([first, second]) => (isSaid(first) && isSaid(second) ? [second] : []));
  for (const name of [...left, ...twice]) changes?.add(name);
  if (isThinking && !refused.includes('temperature')) return { temperature: 1 };
  const told: JsonObject = {};
  for (const name of asked) if (!left.includes(name) && !twice.includes(name)) told[name] = request[name];
  if (typeof told.temperature !== 'number') return told;
  const temperature = Math.min(most.temperature ?? 1, Math.max(0, told.temperature));
  if (temperature !== told.temperature) changes?.add('temperature');
  return { ...told, temperature };
}

/** A model that goes on with no answer of the caller's is asked to, in words. */
function withoutBeginning(messages: ChatMessage[], { model, changes }: Target): ChatMessage[] {
  const last = messages.findLast(({ role }) => role !== 'system' && role !== 'developer');
  if (last?.role !== 'assistant' || rulesOf(model).prefill !== false) return messages;
  changes?.add('messages');
  return [...messages, { role: 'user', content: 'Continue your last answer from exactly where it ends, without repeating any of it.' }];
}

function isSystem(message: ChatMessage): boolean {
  return message.role === 'system' || message.role === 'developer';
}

/** All system texts; as blocks when one of them asks to be cached. */
function toSystem(request: ChatRequest, jsonRule: string): string | JsonObject[] | undefined {
  const parts = request.messages
    .filter(isSystem)
    .flatMap(messageParts)
    .filter((part) => part.text);
  if (parts.some((part) => part.cache_control)) {
    const blocks = parts.map((part) => ({ type: 'text', text: part.text, cache_control: part.cache_control }));
    return jsonRule === '' ? blocks : [...blocks, { type: 'text', text: jsonRule }];
  }
  const lines = parts.filter(({ type }) => type === 'text').map(({ text }) => text);
  if (jsonRule !== '') lines.push(jsonRule);
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The schema that the answer is bound to; undefined where it has to be asked for in words. An answer that is begun cannot be bound. */
function boundSchema({ response_format: format, messages }: ChatRequest): JsonObject | undefined {
  if (format?.type !== 'json_schema' || messages.at(-1)?.role === 'assistant') return undefined;
  const { schema, strict } = format.json_schema ?? {};
  return schema && strict === true ? bindable(schema) : undefined;
}

/** Turns alternate and begin with the user's: neighbours of one role are joined, tool results belong to the user. */
function toMessages(messages: ChatMessage[]): JsonObject[] {
  const turns: { role: string; blocks: JsonObject[] }[] = [];
  for (const message of messages.filter((candidate) => !isSystem(candidate))) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = toBlocks(message);
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks });
  }
  const last = turns.at(-1);
  if (last?.role === 'assistant') last.blocks = withoutTrailingSpace(last.blocks);
  if (last?.role === 'assistant' && last.blocks.length === 0) turns.pop(); // nothing was begun
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', blocks: [] });
  return turns.map(({ role, blocks }) => ({ role, content: toContent(role === 'user' ? resultsFirst(blocks) : blocks) }));
}

/** What a tool gave must stand before all else that the user's turn says. */
function resultsFirst(blocks: JsonObject[]): JsonObject[] {
  const isResult = ({ type }: JsonObject) => type === 'tool_result';
  return blocks.some(isResult) ? [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))] : blocks;
}

/** One plain text stays a string, as people write it. */
function toContent(blocks: JsonObject[]): string | JsonObject[] {
  const [first] = blocks;
  if (first === undefined) return filler;
  return blocks.length === 1 && first.type === 'text' && first.cache_control === undefined ? (first.text as string) : blocks;
}

/** An answer to be continued must not end in white space. */
function withoutTrailingSpace(blocks: JsonObject[]): JsonObject[] {
  const last = blocks.at(-1);
  if (last?.type !== 'text') return blocks;
  const text = (last.text as string).trimEnd();
  return text === '' ? blocks.slice(0, -1) : [...blocks.slice(0, -1), { ...last, text }];
}

function toBlocks(message: ChatMessage): JsonObject[] {
  if (message.role === 'tool' || message.role === 'function') {
    const isError = message.is_error === true;
    const content = isError ? withoutErrorMark(toToolResult(message)) : toToolResult(message);
    const cached = typeof content === 'string' ? messageParts(message).findLast((part) => part.cache_control)?.cache_control : undefined;
    const marks = { ...(isError && { is_error: true }), ...(cached !== undefined && { cache_control: cached }) };
    return [{ type: 'tool_result', tool_use_id: callIdOf(message.tool_call_id ?? ''), content, ...marks }];
  }
  const content = messageParts(message).flatMap(toBlock);
  if (message.role !== 'assistant') return content;
  const blocks = Array.isArray(message.thinking_blocks) ? (message.thinking_blocks as JsonObject[]) : [];
  const readable = blocks.filter((block) => block.type !== 'thinking' || (block.signature && !isSealedReasoning(block)));
  // The index is ours, for callers who join a stream's lists by it.
  const thinking = readable.map(({ index: _index, ...block }) => block);
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: 'tool_use',
    id: callIdOf(call.id ?? ''),
    name: call.function?.name ?? '',
    input: argumentsObject(call.function?.arguments),
  }));
  return [...thinking, ...content, ...calls];
}

function toToolResult(message: ChatMessage): string | JsonObject[] {
  const parts = messageParts(message);
  const plain = parts.map(({ cache_control: _cached, ...part }) => part as ContentPart);
  return plain.some((part) => part.type !== 'text') ? plain.flatMap(toBlock) : messageText(message);
}

/** The hub says in the text, too, that it tells of an error. */
function withoutErrorMark(content: string | JsonObject[]): string | JsonObject[] {
  const unmarked = (text: string) => text.replace(/^Error: /, '');
  if (typeof content === 'string') return unmarked(content);
  return content.map((block, at) => (at === 0 && typeof block.text === 'string' ? { ...block, text: unmarked(block.text) } : block));
}

/** Empty and blank texts are refused there, so they become nothing. */
function toBlock(part: ContentPart): JsonObject[] {
  const { cache_control } = part;
  if (part.type === 'text') return /\S/.test(part.text ?? '') ? [{ type: 'text', text: part.text, cache_control }] : [];
  if (part.type === 'image_url') return [{ type: 'image', source: toImageSource(imageUrlOf(part)), cache_control }];
  if (part.type === 'file') return [toDocument(part)];
  throw new RequestRefused(`Content of type ${part.type} cannot be sent to this model`, 'messages');
}

function toImageSource(url: string): JsonObject {
  const inline = readDataUrl(url);
  if (inline === undefined) {
    if (/^https?:\/\//.test(url)) return { type: 'url', url };
    throw new RequestRefused('An image must be an http(s) URL or a base64 data URL', 'messages');
  }
  const mediaType = inline.mediaType === 'image/jpg' ? 'image/jpeg' : inline.mediaType;
  if (!imageTypes.has(mediaType)) throw new RequestRefused(`Images of type ${mediaType} cannot be sent to this model`, 'messages');
  return { type: 'base64', media_type: mediaType, data: inline.data };
}

/** Anthropic reads PDF files by their URL, and no others. Source: https://docs.anthropic.com/en/docs/build-with-claude/pdf-support */
export function isPdfAddress(url: string): boolean {
  return URL.parse(url)?.pathname.toLowerCase().endsWith('.pdf') === true;
}

function toDocument(part: ContentPart): JsonObject {
  const data = part.file?.file_data ?? '';
  if (/^https?:\/\//.test(data) && isPdfAddress(data))
    return { type: 'document', source: { type: 'url', url: data }, title: part.file?.filename, cache_control: part.cache_control };
  const inline = readDataUrl(data);
  if (inline?.mediaType.startsWith('text/')) {
    const data = Buffer.from(inline.data, 'base64').toString('utf8');
    return {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data },
      title: part.file?.filename,
      cache_control: part.cache_control,
    };
  }
  if (inline?.mediaType !== 'application/pdf') throw new RequestRefused('A file must be a PDF as a base64 data URL', 'messages');
  return {
    type: 'document',
    source: { type: 'base64', media_type: inline.mediaType, data: inline.data },
    title: part.file?.filename,
    cache_control: part.cache_control,
  };
}

/** Tools of other types are Anthropic's own (web search and the like) and travel as they are. */
function toTool(tool: Tool, isBound: boolean): JsonObject {
  if (!tool.function) return tool;
  const { name, description, parameters, strict } = tool.function;
  const schema = objectSchema(parameters);
  const bound = strict === true && isBound ? bindable(schema) : undefined;
  return { name, description, input_schema: bound ?? schema, strict: bound && true, cache_control: tool.cache_control };
}

function toToolChoice({ tool_choice: choice, parallel_tool_calls: parallel }: ChatRequest): JsonObject | undefined {
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === 'none') return { type: 'none' };
  if (choice === 'required') return { type: 'any', ...single };
  if (typeof choice === 'object' && choice?.function?.name) return { type: 'tool', name: choice.function.name, ...single };
  return choice === 'auto' || parallel === false ? { type: 'auto', ...single } : undefined;
}

/** White space alone ends no answer there. */
function toStopSequences(request: ChatRequest): string[] | undefined {
  const stops = stopsOf(request);
  if (stops?.some((text) => text.trim() === '')) throw new RequestRefused('This model cannot be told to stop at white space alone', 'stop');
  return stops;
}
