import type { ChannelTypeInfo } from '@tollgate/contracts';
import type { ModelRules } from '@tollgate/contracts/catalog';
import type { JsonEdits } from '../json-bytes.ts';
import type { OmittableField } from '../left-out.ts';
import { effortOfName, levelFor, rulesOf } from '../model-rules.ts';
import { isObject, picked } from '../objects.ts';
import type { ChatTranslation, JsonObject, Target } from '../provider.ts';
import { searchOf, unsaidOfSearch, webSearch } from '../web-search.ts';
import { openAiErrorIn } from './errors.ts';
import { modelEdits } from './model-edits.ts';
import { refusedEdits } from './own-responses-edits.ts';
import { collectedResponse, decodeResponse, decodeStream } from './responses-answer.ts';
import { carriedMark, compactedText } from './responses-reasoning.ts';
import { raisedLimit, responsesRequest } from './responses-request.ts';
import { takenSchemas } from './taken-schemas.ts';
import type { ChatRequest } from './types.ts';
import { responsesUsageIn } from './usage.ts';

/** What a prompt is counted by. Source: https://platform.openai.com/docs/api-reference/responses/input-tokens */
const countedFields = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning', 'parallel_tool_calls', 'truncation'],
];

interface ResponsesChat {
  url(target: Target): string;
  modelOf(target: Target): string;
  info: ChannelTypeInfo;
}

/**
 * OpenAI's Responses. Bodies and answers of callers who use it pass through; callers of other dialects are translated where a model answers
 * there alone, or takes tools there alone.
 * Source: https://platform.openai.com/docs/api-reference/responses
 */
export function responsesChat({ url, modelOf, info }: ResponsesChat): ChatTranslation {
  return {
    speaks: 'responses',
    url: (_request, target) => url(target),
    readsAddress: () => true,
    modelOf,
    effortOf: ({ model }) => effortOfName(model),
    says,
    outputLimit: (request) => raisedLimit(request, {}),
    encodeRequest(request, target) {
      const edited = byRules(request, target, info);
      const limit = raisedLimit(edited, target);
      const limited = limit === undefined ? edited : { ...edited, max_tokens: limit, max_completion_tokens: undefined };
      return responsesRequest(limited, { model: modelOf(target), effort: levelFor(request, target.model) });
    },
    nativeEdits: (own, call) => nativeEdits(own, call, modelOf(call.target)),
    decodeResponse,
    decodeStream,
    collect: collectedResponse,
    usageIn: responsesUsageIn,
    errorIn: openAiErrorIn,
    counts: {
      url: (target) => `${url(target)}/input_tokens`,
      body: (sent) => picked(sent, countedFields),
      tokensIn: ({ input_tokens: tokens }) => tokens,
    },
  };
}

const compacting = new WeakMap<ChatTranslation, ChatTranslation>();

/** How the same provider is asked to compact a conversation. Source: https://platform.openai.com/docs/api-reference/responses/compact */
export function compactionAt(responses: ChatTranslation): ChatTranslation {
  let dialect = compacting.get(responses);
  if (dialect === undefined) {
    dialect = {
      ...responses,
      url: (request, target) => `${responses.url(request, target)}/compact`,
      nativeEdits(own, call) {
        const { set, remove = [], ...edits } = responses.nativeEdits?.(own, call) ?? {};
        const { store: _store, include: _include, ...rest } = set ?? {};
        return { ...edits, set: rest, remove: [...remove, 'store', 'stream'] };
      },
    };
    compacting.set(responses, dialect);
  }
  return dialect;
}

/** Fields that only tune, or are notes, which are sent, and those that are listed by `byRules`. */
const says: ReadonlySet<OmittableField> = new Set([
  ...(['temperature', 'top_p', 'top_k', 'reasoning_effort', 'user', 'safety_identifier', 'metadata', 'prompt_cache_key'] as const),
  ...(['prompt_cache_retention', 'seed', 'presence_penalty', 'frequency_penalty', 'prediction'] as const),
]);

/** Fields of chat completions that Responses has no word for. */
const chatOnly = ['stop', 'seed', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'prediction'];

/** The request by the rules of its model: what the model refuses is gone, and noted as changed. */
function byRules(request: ChatRequest, target: Target, info: ChannelTypeInfo): ChatRequest {
  const { set, remove = [], changed = [] } = modelEdits(request, target, info) ?? {};
  const lost = chatOnly.filter((name) => request[name] !== undefined && request[name] !== null);
  for (const name of [...changed, ...lost]) target.changes?.add(name);
  const kept = Object.entries(request).filter(([name]) => !remove.includes(name));
  const search = searchOf(request);
  if (search !== undefined) for (const field of unsaidOfSearch(search, 'responses')) target.changes?.add(field);
  return { ...Object.fromEntries(kept), ...set, [webSearch]: search } as unknown as ChatRequest;
}

/** The model's name, the output limit under a cap, and that nothing is kept there: the account is not the caller's. */
function nativeEdits(own: JsonObject, { request, target }: { request: ChatRequest; target: Target }, model: string): JsonEdits {
  const set: JsonObject = {};
  if (model !== own.model) set.model = model;
  if (target.keepsResponses !== true) Object.assign(set, keptElsewhere(own, target.model));
  if (target.cap !== undefined) set.max_output_tokens = request.max_tokens;
  const effort = effortOfName(target.model);
  if (effort !== undefined) set.reasoning = { ...(own.reasoning as JsonObject | undefined), effort };
  const input = legibleInput(own.input, target.withoutReasoning === true);
  if (input !== undefined) set.input = input;
  const rules = rulesOf(target.model);
  const refused = refusedEdits(own, rules, effort);
  const changed = [...refused.changed, ...takeSchemas(own, rules.schemaDialect, set)];
  return { set: { ...refused.set, ...set }, remove: refused.remove, changed };
}

/** Schemas as the provider takes them. Returns the fields that were changed. */
function takeSchemas({ tools, text }: JsonObject, dialect: ModelRules['schemaDialect'], set: JsonObject): string[] {
  const taken = takenSchemas(dialect, tools, isObject(text) ? text.format : undefined);
  if (taken.tools !== undefined) set.tools = taken.tools;
  if (taken.format !== undefined) set.text = { ...(text as JsonObject), format: taken.format };
  return [...(taken.tools === undefined ? [] : ['tools']), ...(taken.format === undefined ? [] : ['text.format'])];
}

const encryptedReasoning = 'reasoning.encrypted_content';

/** Nothing is stored there. What is stored here needs the reasoning that the next turn sends back. */
function keptElsewhere({ store, include }: JsonObject, model: string): JsonObject {
  if (store === false) return {};
  const asked: unknown[] = Array.isArray(include) ? include : [];
  const isMissing = rulesOf(model).reasoning?.back === 'encrypted' && !asked.includes(encryptedReasoning);
  return { store: false, ...(isMissing && { include: [...asked, encryptedReasoning] }) };
}

/** The items as this provider can read them: without reasoning of others, or that stands in no account of ours, and with our summaries as messages. */
function legibleInput(input: unknown, withoutReasoning: boolean): unknown[] | undefined {
  if (!Array.isArray(input)) return undefined;
  const isLeftOut = (item: unknown) => isIllegible(item) || (withoutReasoning && (item as JsonObject | null)?.type === 'reasoning');
  const legible = input.flatMap((item: unknown) => (isLeftOut(item) ? [] : [asMessage(item)]));
  return legible.length < input.length || legible.some((item, at) => item !== input[at]) ? legible : undefined;
}

function asMessage(item: unknown): unknown {
  if ((item as JsonObject | null)?.type !== 'compaction') return item;
  const text = compactedText(item as JsonObject);
  return text === undefined ? item : { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function isIllegible(item: unknown): boolean {
  const { type, id, encrypted_content: sealed } = (item ?? {}) as JsonObject;
  if (type === 'item_reference') return typeof id === 'string' && id.startsWith('rs_');
  return type === 'reasoning' && (typeof sealed !== 'string' || sealed === '' || sealed.startsWith(carriedMark));
}
