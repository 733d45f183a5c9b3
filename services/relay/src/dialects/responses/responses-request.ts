import type { ChatMessage, ChatRequest } from '@tollgate/providers';
import type { SentRequest } from '../../pipeline/route.ts';
import {
  checkFlag,
  checkInteger,
  checkModel,
  checkNames,
  checkObjects,
  isObject,
  type JsonObject,
  mostTokens,
  picked,
  unpriced,
  worded,
  wrong,
} from '../fields.ts';
import { Unsaid } from '../unsupported-features.ts';
import { CallersTools } from './callers-tools.ts';
import { messagesOf } from './items.ts';
import { knownFields, refusedFields, spokenFields, wishesNothing } from './known-fields.ts';
import { toolsOf } from './tools.ts';

/**
 * A Responses request in the hub's words. What the hub cannot say is noted; what would need answers to be kept is refused.
 * Throws: AppError `invalid_request` that names the field. Source: https://platform.openai.com/docs/api-reference/responses/create
 */
export function responsesRequest(sent: SentRequest): ChatRequest {
  const { json } = sent;
  checkNames(json, knownFields);
  checkModel(json);
  checkFlag(json, 'stream');
  checkFlag(json, 'parallel_tool_calls');
  checkInteger(json, 'max_output_tokens', { least: 1, most: mostTokens });
  checkInteger(json, 'top_logprobs', { least: 0, most: mostLikely });
  checkObjects(json, 'tools');
  refuseKept(json);
  const unsaid = new Unsaid();
  sent.unsaid = unsaid;
  for (const [field, value] of Object.entries(json)) {
    if (!spokenFields.has(field) && !wishesNothing.has(value)) unsaid.note('this field', field);
  }
  const included = includedIn(json, unsaid);
  const callers = new CallersTools(json);
  return {
    model: json.model as string,
    messages: [...instructionsOf(json), ...messagesOf(json.input, { unsaid, callers })],
    ...picked(json, ['temperature', 'top_p', 'user', 'parallel_tool_calls']),
    ...(typeof json.max_output_tokens === 'number' && { max_tokens: json.max_output_tokens }),
    ...(typeof json.user !== 'string' && typeof json.safety_identifier === 'string' && { user: json.safety_identifier }),
    ...(json.stream === true && { stream: true }),
    ...tierOf(json),
    ...effortOf(json),
    ...formatOf(json),
    ...likelihoodsOf(json, included),
    ...toolsOf(sent, { unsaid, callers }),
  };
}

function refuseKept(json: JsonObject): void {
  for (const field of refusedFields) {
    const value = json[field];
    if (value === undefined || value === null || value === false) continue;
    const instead =
      field === 'background' ? 'the answer is given to who waits for it' : 'answers are not kept: send the whole conversation as input';
    throw wrong(`${field} is not supported: ${instead}`, field);
  }
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

function effortOf({ reasoning }: JsonObject): { reasoning_effort?: string } {
  if (reasoning === undefined || reasoning === null) return {};
  if (!isObject(reasoning)) throw wrong('reasoning must be an object', 'reasoning');
  const { effort, mode } = reasoning;
  if (mode !== undefined && mode !== null && mode !== 'standard') throw unpriced('reasoning.mode', mode);
  if (effort === undefined || effort === null) return {};
  if (typeof effort !== 'string') throw wrong('reasoning.effort must be a text', 'reasoning.effort');
  return { reasoning_effort: effort };
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
function includedIn({ include }: JsonObject, unsaid: Unsaid): ReadonlySet<unknown> {
  if (include === undefined || include === null) return new Set();
  if (!Array.isArray(include)) throw wrong('include must be a list', 'include');
  for (const [at, what] of include.entries()) {
    if (what !== 'reasoning.encrypted_content' && what !== likelihoods) unsaid.note(worded(what), `include[${at}]`);
  }
  return new Set(include);
}

function likelihoodsOf({ top_logprobs: others }: JsonObject, included: ReadonlySet<unknown>): JsonObject {
  if (others) return { logprobs: true, top_logprobs: others };
  return included.has(likelihoods) ? { logprobs: true } : {};
}
