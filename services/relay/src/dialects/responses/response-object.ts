import type { JsonObject, Stamp } from '@tollgate/providers';

/** What an answer repeats of its request. */
export type Echo = Readonly<JsonObject>;

const defaults: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  user: null,
};

/** The part of a request that its answer repeats; fields that are missing have their defaults. */
export function echoOf(sent: JsonObject): Echo {
  const { effort = null, summary = null } = (sent.reasoning ?? {}) as JsonObject;
  const repeated = Object.entries(defaults).map(([field, value]) => [field, sent[field] ?? value]);
  return { ...Object.fromEntries(repeated), reasoning: { effort, summary } };
}

/** Why an answer ended before its end; undefined when it did not. */
export function cutShortBy(finishReason: unknown): string | undefined {
  if (finishReason === 'length') return 'max_output_tokens';
  return finishReason === 'content_filter' ? 'content_filter' : undefined;
}

interface Outcome {
  status: 'in_progress' | 'completed' | 'incomplete';
  /** Why it is incomplete. */
  reason?: string | undefined;
  output: JsonObject[];
  /** At which its provider says that he has served it. */
  tier: unknown;
  usage: JsonObject | null;
}

/** Those of OpenAI's. Other providers have tiers of their own, which strict clients refuse: https://platform.openai.com/docs/api-reference/responses/object */
const tiers = new Set<unknown>(['auto', 'default', 'flex', 'scale', 'priority', 'ultrafast']);

/** An answer as one object. Source: https://platform.openai.com/docs/api-reference/responses/object */
export function responseObject(
  { id, createdSeconds, model }: Stamp,
  echo: Echo,
  { status, reason, output, tier, usage }: Outcome,
): JsonObject {
  return {
    id: responseId(id),
    object: 'response',
    created_at: createdSeconds,
    status,
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    model,
    output,
    previous_response_id: null,
    service_tier: tiers.has(tier) ? tier : 'default',
    store: false,
    truncation: 'disabled',
    ...echo,
    usage,
  };
}

/** The id of an answer; a provider's own is kept in it. */
function responseId(id: string): string {
  return id.startsWith('resp_') ? id : `resp_${id}`;
}

/** What the ids of items begin with. */
export type ItemKind = 'msg' | 'rs' | 'fc' | 'ctc' | 'tsc';

/** The ids of an answer's items come of its own. */
export function itemId(kind: ItemKind, id: string, index: number): string {
  return `${kind}_${id.replace(/^resp_/, '')}_${index}`;
}
