import { hostedKindOf } from '@tollgate/contracts';
import { type ChatMessage, type ChatRequest, isObject, objectsIn, type Tool } from '@tollgate/providers';
import type { SentRequest } from '../../context/route.ts';
import { UnsupportedFeatures } from '../dialect.ts';
import {
  checkFlag,
  checkInteger,
  checkModel,
  checkNames,
  checkObjects,
  type JsonObject,
  mostTokens,
  picked,
  refuseUnread,
  worded,
  wrong,
} from '../fields.ts';
import { CallersTools, type PlacedTool } from './callers-tools.ts';
import { asksCompaction, summaryRequest } from './compaction.ts';
import { messagesOf } from './items.ts';

/** The fields of a Responses request that can be said to others, or that say nothing to the model. Source: https://platform.openai.com/docs/api-reference/responses/create */
const spokenFields = new Set([
  ...['model', 'input', 'instructions', 'stream', 'stream_options', 'max_output_tokens', 'temperature', 'top_p', 'tools', 'tool_choice'],
  ...['parallel_tool_calls', 'reasoning', 'text', 'user', 'service_tier', 'metadata', 'safety_identifier', 'prompt_cache_key'],
  ...['prompt_cache_retention', 'include', 'truncation', 'top_logprobs', 'store', 'background', 'max_tool_calls'],
  ...['presence_penalty', 'frequency_penalty'], // of Open Responses
  'client_metadata', // what Codex says of itself
]);

/** What a request may refer to, and what may become of it. */
export const stateFields = ['previous_response_id', 'conversation', 'prompt', 'background', 'store'] as const;

/** Values with which a field asks for nothing. */
const wishesNothing = new Set<unknown>([null, false, 0]);

/** All fields that a Responses request may have. */
const knownFields = new Set([
  ...spokenFields,
  ...[
    'previous_response_id',
    'conversation',
    'prompt',
    'context_management',
    'moderation',
    'stream_id',
    'access_programs',
    'image',
    'prompt_cache_options',
  ],
]);

/** Notes for the account, and for a cache that the provider keeps: other formats have no place for them. */
const ownNotes = ['metadata', 'client_metadata', 'prompt_cache_key', 'prompt_cache_retention'];

/**
 * A Responses request in the canonical format. What it cannot say is noted.
 * Throws: AppError `invalid_request` that names the field. Source: https://platform.openai.com/docs/api-reference/responses/create
 */
export function responsesRequest(sent: SentRequest): ChatRequest {
  const { json } = sent;
  checkNames(json, knownFields);
  refuseUnread(json, (field) => knownFields.has(field));
  checkModel(json);
  checkFlag(json, 'stream');
  checkFlag(json, 'parallel_tool_calls');
  checkInteger(json, 'max_output_tokens', { least: 1, most: mostTokens });
  checkInteger(json, 'top_logprobs', { least: 0, most: mostLikely });
  checkInteger(json, 'max_tool_calls', { least: 0, most: mostTokens });
  checkObjects(json, 'tools');
  refusePrompt(json);
  const unsupported = new UnsupportedFeatures();
  sent.unsupported = unsupported;
  for (const [field, value] of Object.entries(json)) {
    if (!spokenFields.has(field) && !wishesNothing.has(value)) unsupported.note('this field', field);
  }
  for (const field of ownNotes) if (json[field] !== undefined && json[field] !== null) unsupported.leaveOut(field);
  if (json.max_tool_calls && !objectsIn(json.tools).some(({ type }) => hostedKindOf(type) === 'search'))
    unsupported.leaveOut('max_tool_calls');
  const included = includedIn(json, unsupported);
  const callers = new CallersTools(json);
  const omissible: NonNullable<Parameters<typeof messagesOf>[1]['omissible']> = new Map();
  const messages = [...instructionsOf(json), ...messagesOf(json.input, { unsupported, callers, omissible })];
  if (omissible.size > 0) sent.omissible = omissible;
  const compacts = asksCompaction(json);
  return {
    model: json.model as string,
    messages: compacts ? summaryRequest(messages) : messages,
    ...picked(json, ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'user', 'parallel_tool_calls']),
    ...(typeof json.max_output_tokens === 'number' && { max_tokens: json.max_output_tokens }),
    ...(typeof json.user !== 'string' && typeof json.safety_identifier === 'string' && { user: json.safety_identifier }),
    ...(json.stream === true && { stream: true }),
    ...tierOf(json),
    ...effortOf(json, unsupported),
    ...(compacts ? {} : { ...formatOf(json), ...likelihoodsOf(json, included), ...toolsOf(sent, { unsupported, callers }) }),
  };
}

/** A request of which nothing but the summary of its conversation is wanted. */
export function compactRequest(sent: SentRequest): ChatRequest {
  const { stream: _stream, ...request } = responsesRequest(sent);
  const { tools: _tools, tool_choice: _choice, response_format: _format, parallel_tool_calls: _parallel, ...plain } = request;
  return { ...plain, messages: summaryRequest(request.messages) } as ChatRequest;
}

/** A prompt that is stored in an account holds texts and tools that cannot be checked or priced here. */
function refusePrompt({ prompt }: JsonObject): void {
  if (prompt !== undefined && prompt !== null) throw wrong('prompt is not supported: send its text as instructions and input', 'prompt');
}

function instructionsOf({ instructions }: JsonObject): ChatMessage[] {
  if (instructions === undefined || instructions === null || instructions === '') return [];
  if (typeof instructions !== 'string') throw wrong('instructions must be a text', 'instructions');
  return [{ role: 'system', content: instructions }];
}

/** The tiers that cost the ordinary price need not be said. */
function tierOf({ service_tier: tier }: JsonObject): { service_tier?: unknown } {
  return tier === undefined || tier === null || tier === 'auto' || tier === 'default' ? {} : { service_tier: tier };
}

function effortOf({ reasoning }: JsonObject, unsupported: UnsupportedFeatures): JsonObject {
  if (reasoning === undefined || reasoning === null) return {};
  if (!isObject(reasoning)) throw wrong('reasoning must be an object', 'reasoning');
  const { effort, mode } = reasoning;
  const isPriced = mode !== undefined && mode !== null && mode !== 'standard';
  if (isPriced) unsupported.note('this field', 'reasoning.mode');
  const priced = isPriced ? { 'reasoning.mode': worded(mode) } : {};
  if (effort === undefined || effort === null) return priced;
  if (typeof effort !== 'string') throw wrong('reasoning.effort must be a text', 'reasoning.effort');
  return { ...priced, reasoning_effort: effort };
}

function formatOf({ text }: JsonObject): Partial<ChatRequest> {
  if (text === undefined || text === null) return {};
  if (!isObject(text)) throw wrong('text must be an object', 'text');
  const { format, verbosity } = text;
  const told = typeof verbosity === 'string' ? { verbosity } : {};
  if (format === undefined || format === null) return told;
  if (!isObject(format)) throw wrong('text.format must be an object', 'text.format');
  if (format.type === 'text') return told;
  if (format.type === 'json_object') return { ...told, response_format: { type: 'json_object' } };
  if (format.type !== 'json_schema') throw wrong('text.format.type must be text, json_object or json_schema', 'text.format.type');
  const { schema, name = 'answer', type: _type, ...rest } = format;
  if (!isObject(schema)) throw wrong('text.format.schema is required', 'text.format.schema');
  return { ...told, response_format: { type: 'json_schema', json_schema: { name, schema, ...rest } } };
}

/** How likely the words of an answer are. */
const likelihoods = 'message.output_text.logprobs';
/** Of so many other words for each it may be asked. */
const mostLikely = 20;

/** What is to be told besides. What is always there may be asked for; what the hub has no word for is a provider's own. */
function includedIn({ include }: JsonObject, unsupported: UnsupportedFeatures): ReadonlySet<unknown> {
  if (include === undefined || include === null) return new Set();
  if (!Array.isArray(include)) throw wrong('include must be a list', 'include');
  for (const [at, what] of include.entries()) {
    if (what !== 'reasoning.encrypted_content' && what !== likelihoods) unsupported.note(worded(what), `include[${at}]`);
  }
  return new Set(include);
}

function likelihoodsOf({ top_logprobs: others }: JsonObject, included: ReadonlySet<unknown>): JsonObject {
  if (others) return { logprobs: true, top_logprobs: others };
  return included.has(likelihoods) ? { logprobs: true } : {};
}

interface Listing {
  callers: CallersTools;
  unsupported: UnsupportedFeatures;
}

/**
 * Tools and which of them is to be called. Those that run at a provider keep their own shape; where they stand beside the caller's own
 * and nothing has to be called, they are no more than an offer. Throws: AppError `invalid_request`.
 */
function toolsOf(sent: SentRequest, { callers, unsupported }: Listing): Partial<ChatRequest> {
  const { tool_choice: choice } = sent.json;
  const isOffer = ({ isAdded }: PlacedTool) => !isAdded && callers.functions.length > 0 && (choice ?? 'auto') === 'auto';
  const offers = callers.others.filter(isOffer);
  if (offers.length > 0) sent.offers = offers.map(({ tool }) => tool);
  const wanted = callers.others.filter((placed) => !isOffer(placed));
  for (const { tool, param, isAdded } of wanted) {
    if (hostedKindOf(tool.type) === 'search' && !isAdded) unsupported.noteSearch(`a tool of type ${worded(tool.type)}`, param);
    else unsupported.note(`a tool of type ${worded(tool.type)}`, param);
  }
  const all = [...callers.functions, ...wanted.map(({ tool }) => tool as unknown as Tool)];
  return {
    ...(all.length > 0 && { tools: all }),
    ...choiceOf(choice, { callers, unsupported }),
  };
}

function choiceOf(choice: unknown, { callers, unsupported }: Listing): Partial<ChatRequest> {
  if (choice === undefined || choice === null) return {};
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { tool_choice: choice };
  if (!isObject(choice) || typeof choice.type !== 'string')
    throw wrong('tool_choice must be auto, none, required or a tool', 'tool_choice');
  if (isCallers(choice)) return { tool_choice: toldChoice(choice, callers) };
  if (choice.type === 'allowed_tools' && Array.isArray(choice.tools) && choice.tools.every(isCallers)) {
    const tools = choice.tools.map((tool) => toldChoice(tool, callers));
    return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } } };
  }
  unsupported.note(`the choice ${worded(choice.type)}`, 'tool_choice');
  return {};
}

interface ChosenTool {
  name: string;
  namespace?: unknown;
}

function isCallers(tool: unknown): tool is ChosenTool {
  return isObject(tool) && (tool.type === 'function' || tool.type === 'custom') && typeof tool.name === 'string';
}

function toldChoice({ name, namespace }: ChosenTool, callers: CallersTools): { type: string; function: { name: string } } {
  const chosen = { name, namespace: typeof namespace === 'string' ? namespace : undefined };
  return { type: 'function', function: { name: callers.toldName(chosen) } };
}
