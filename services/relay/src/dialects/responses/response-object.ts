import { cachedTokensOf, completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import { isObject, type JsonObject, objectsIn, type Stamp } from '@tollgate/providers';
import type { ClientError } from '../../context/errors.ts';

/** What an answer has before its model says anything: its id, and what it repeats of its request. */
export type Envelope = Readonly<JsonObject>;

const defaults: JsonObject = {
  frequency_penalty: 0,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  presence_penalty: 0,
  prompt_cache_key: null,
  safety_identifier: null,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
};

/** The envelope of the answer to a request; fields that are missing have their defaults. `id` is the answer's. */
export function envelopeOf(sent: JsonObject, id: string): Envelope {
  const { effort = null, summary = null } = (sent.reasoning ?? {}) as JsonObject;
  const repeated = Object.entries(defaults).map(([field, value]) => [field, sent[field] ?? value]);
  const echo = Object.fromEntries(repeated) as JsonObject;
  return {
    ...echo,
    id: responseId(id),
    previous_response_id: sent.previous_response_id ?? null,
    background: false,
    store: false,
    text: textOf(echo.text),
    tools: objectsIn(echo.tools).map((tool) => (tool.type === 'function' ? functionOf(tool) : tool)),
    reasoning: { effort, summary },
    ...(typeof sent.user === 'string' && { user: sent.user }),
  };
}

/**
 * What a provider's own answer is to say of its state, where the request says something of it: that provider was sent the whole conversation, and is not
 * to store it. Undefined: the answer stays as it came.
 */
export function stateOf(sent: JsonObject, { store, previous_response_id, conversation }: Envelope): JsonObject | undefined {
  if (sent.store !== true && !previous_response_id && !conversation) return undefined;
  return { store, previous_response_id, ...(conversation !== undefined && { conversation }) };
}

/** What clients require is filled in: https://www.openresponses.org/specification */
function functionOf(tool: JsonObject): JsonObject {
  return { ...tool, description: tool.description ?? null, parameters: tool.parameters ?? null, strict: tool.strict ?? false };
}

function textOf(text: unknown): unknown {
  const format = isObject(text) ? text.format : undefined;
  if (!isObject(format) || format.type !== 'json_schema') return text;
  return { ...(text as JsonObject), format: { ...format, description: format.description ?? null, strict: format.strict ?? false } };
}

/** Why an answer ended before its end; undefined when it did not. */
export function cutShortBy(finishReason: unknown): string | undefined {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? 'content_filter' : undefined;
}

export interface Outcome {
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  /** Why it is incomplete. */
  reason?: string | undefined;
  /** Why it failed. */
  error?: JsonObject;
  output: JsonObject[];
  /** At which its provider says that he has served it. */
  tier: unknown;
  usage: JsonObject | null;
}

/** Those of OpenAI's. Other providers have tiers of their own, which strict clients refuse: https://platform.openai.com/docs/api-reference/responses/object */
const tiers = new Set<unknown>(['auto', 'default', 'flex', 'scale', 'priority', 'ultrafast']);

/** An answer as one object. Source: https://platform.openai.com/docs/api-reference/responses/object */
export function responseObject(
  { createdSeconds, model }: Pick<Stamp, 'createdSeconds' | 'model'>,
  envelope: Envelope,
  { status, reason, error, output, tier, usage }: Outcome,
): JsonObject {
  return {
    id: envelope.id,
    object: 'response',
    created_at: createdSeconds,
    completed_at: status === 'completed' ? Math.max(createdSeconds, Math.floor(Date.now() / 1000)) : null,
    status,
    error: error ?? null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output,
    service_tier: tiers.has(tier) ? tier : 'default',
    ...envelope,
    usage,
  };
}

/** The codes that typed clients know. Source: https://platform.openai.com/docs/api-reference/responses/object#responses/object-error */
const failureCodes = new Set(['server_error', 'rate_limit_exceeded', 'invalid_prompt', 'invalid_image', 'image_content_policy_violation']);

/** Why a response failed, as its object says it. */
export function failureOf({ code, message }: Pick<ClientError, 'code' | 'message'>): JsonObject {
  return { code: failureCodes.has(String(code)) ? code : 'server_error', message };
}

/**
 * The last events of a stream that breaks off. Some clients read the one, some the other; `error` has both OpenAI's flat form and the nested one
 * of Open Responses. Sources: https://platform.openai.com/docs/api-reference/responses-streaming/error, https://www.openresponses.org/specification
 */
export function failureEvents({ code, message, param, type }: ClientError, response: JsonObject, at: number): string {
  const named = { code: code === null ? null : String(code), message, param };
  return (
    eventOf({ type: 'error', sequence_number: at, ...named, error: { type, ...named } }) +
    eventOf({
      type: 'response.failed',
      sequence_number: at + 1,
      response: { ...response, status: 'failed', completed_at: null, error: failureOf({ code, message }) },
    })
  );
}

export function eventOf(event: JsonObject & { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The id of an answer; a provider's own is kept in it. */
function responseId(id: string): string {
  return id.startsWith('resp_') ? id : `resp_${id}`;
}

/** What the ids of items begin with. */
export type ItemKind = 'msg' | 'rs' | 'fc' | 'ctc' | 'tsc' | 'cmp';

/** The ids of an answer's items come of its own. */
export function itemId(kind: ItemKind, id: string, index: number): string {
  return `${kind}_${id.replace(/^resp_/, '')}_${index}`;
}

/** How likely the words of a choice were, or of a piece of one, as Responses tells it; nothing where that is not told. */
export function likelihoodsIn({ logprobs }: JsonObject): JsonObject[] {
  if (!logprobs) return [];
  return objectsIn((logprobs as JsonObject).content).map((one) => ({
    ...toLikelihood(one),
    top_logprobs: objectsIn(one.top_logprobs).map(toLikelihood),
  }));
}

/** Not everybody tells the bytes of a token, and clients want them. */
function toLikelihood({ token, logprob, bytes }: JsonObject): JsonObject {
  return { token, bytes: Array.isArray(bytes) ? bytes : [...Buffer.from(typeof token === 'string' ? token : '')], logprob };
}

/** Our classes as Responses shows them. */
export function toResponsesUsage(usage: Usage): JsonObject {
  const [input, output] = [promptTokensOf(usage), completionTokensOf(usage)];
  return {
    input_tokens: input,
    input_tokens_details: { cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h, cached_tokens: cachedTokensOf(usage) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningOutput },
    total_tokens: input + output,
  };
}

/** What an annotation of each type must have. Source: https://platform.openai.com/docs/api-reference/responses/object */
const required = new Map<unknown, readonly string[]>([
  ['url_citation', ['url', 'title', 'start_index', 'end_index']],
  ['file_citation', ['file_id']],
  ['container_file_citation', ['file_id', 'container_id']],
  ['file_path', ['file_id']],
]);
const annotationDefaults: JsonObject = { title: '', start_index: 0, end_index: 0 };

/** A note on an answer's words as an annotation of Responses; undefined where they have none for it, such as a parsed file of OpenRouter's. */
export function annotationOf({ type, ...more }: JsonObject): JsonObject | undefined {
  const fields = required.get(type);
  if (fields === undefined) return undefined;
  const { index: _index, ...flat } = more;
  const inner = more[String(type)];
  const stated = isObject(inner) ? inner : flat;
  const annotation = { type, ...stated };
  for (const field of fields) {
    const value = stated[field] ?? annotationDefaults[field];
    if (value === undefined) return undefined;
    (annotation as JsonObject)[field] = value;
  }
  return annotation;
}
