import type { ChannelTypeInfo } from '@tollgate/contracts';
import { factsOf, type ModelFacts, type ModelRules } from '@tollgate/contracts/catalog';
import type { JsonEdits } from '../json-bytes.ts';
import { effortOfName, levelFor, wantedEffort } from '../model-rules.ts';
import { isObject } from '../objects.ts';
import type { JsonObject, Target } from '../provider.ts';
import { hasTools } from './chat-endpoint.ts';
import { jsonRuleOf } from './json-rule.ts';
import { takenSchemas } from './taken-schemas.ts';
import type { ChatMessage, ChatRequest } from './types.ts';

/**
 * What a model wants otherwise in a conversation of OpenAI's dialect, by the rules of the catalog; undefined for nothing. `changed` names the fields
 * of which something was lost: left out, lowered, or said in another way. A model's own name for a field is no loss.
 */
export function modelEdits(
  request: ChatRequest,
  { model, endpoint = 'responses' }: Pick<Target, 'model'> & { endpoint?: 'chat' | 'responses' },
  info: ChannelTypeInfo,
): JsonEdits | undefined {
  const facts = factsOf(model);
  if (facts === undefined) return undefined;
  const edits: Edits = { set: {}, remove: [], changed: [] };
  if (endpoint === 'chat' && passesToOpenAi.has(info.protocol) && facts.rules.toolsEndpoint === 'responses' && hasTools(request)) {
    withoutEffort(request, edits);
  } else editEffort(request, { model, rules: facts.rules }, edits);
  editParameters(request, facts, edits);
  if (!info.knowsMaxTokensOnly) editNames(request, { model, rules: facts.rules }, edits);
  if (facts.rules.structured === 'json' && info.key === facts.maker) editFormat(request, edits);
  editSchemas(request, facts.rules.schemaDialect, edits);
  return Object.keys(edits.set).length + edits.remove.length === 0 ? undefined : edits;
}

export interface Edits {
  set: JsonObject;
  remove: string[];
  changed: string[];
}

/** Whose chat completions are OpenAI's own. Aggregators such as OpenRouter translate to Responses themselves. */
export const passesToOpenAi: ReadonlySet<string> = new Set(['openai', 'azure-openai', 'openai-custom-url']);

/** The channel has no Responses, and chat completions take tools of this model at effort `none` alone. Source: https://github.com/openai/openai-openapi/issues/541 */
function withoutEffort(request: ChatRequest, edits: Edits): void {
  if (wantedEffort(request) === 'none') return;
  edits.set.reasoning_effort = 'none';
  edits.changed.push('reasoning_effort');
  if (isObject(request.reasoning)) edits.remove.push('reasoning');
}

/** The level that the model has, in the field that it knows; a switch where it has no more. */
function editEffort(request: ChatRequest, { model, rules: { reasoning } }: { model: string; rules: ModelRules }, edits: Edits): void {
  if (reasoning === undefined) return;
  const wanted = effortOfName(model) ?? wantedEffort(request);
  if (wanted === undefined) return;
  const isOff = wanted === 'none' && reasoning.off === true && reasoning.efforts?.includes('none') !== true;
  if (isOff && (reasoning.form === 'effort' || reasoning.form === 'toggle')) {
    Object.assign(edits.set, { thinking: { type: 'disabled' } });
    edits.remove.push('reasoning_effort');
  } else if (reasoning.form === 'effort') {
    const level = levelFor(request, model);
    if (level !== request.reasoning_effort) edits.set.reasoning_effort = level;
    if (level !== wanted) edits.changed.push('reasoning_effort');
  }
  if (reasoning.form === 'effort' && isObject(request.reasoning)) edits.remove.push('reasoning');
}

/** Without what the provider refuses, and within what it takes. */
function editParameters(request: ChatRequest, { rules: { parameters, reasoning } }: ModelFacts, edits: Edits): void {
  if (parameters === undefined) return;
  const { refused = [], refusedWhenThinking = [], most = {} } = parameters;
  for (const name of refused) leaveOut(request, name, edits);
  if (refusedWhenThinking.length > 0 && (edits.set.reasoning_effort ?? wantedEffort(request) ?? reasoning?.usual) !== 'none') {
    for (const name of refusedWhenThinking) leaveOut(request, name, edits);
  }
  for (const [name, limit] of Object.entries(most)) {
    const value = request[name];
    if (typeof value !== 'number' || value <= limit || edits.remove.includes(name)) continue;
    edits.set[name] = limit;
    edits.changed.push(name);
  }
}

function leaveOut(request: ChatRequest, name: string, { remove, changed }: Edits): void {
  const value = request[name];
  if (value === undefined) return;
  remove.push(name);
  if (value !== null) changed.push(name);
}

/** The model's own names for fields and roles. */
function editNames(request: ChatRequest, { rules }: { model: string; rules: ModelRules }, edits: Edits): void {
  const { parameters, systemRole } = rules;
  for (const [name, other] of Object.entries(parameters?.renamed ?? {})) {
    if (request[name] === undefined) continue;
    edits.set[other] = request[other] ?? request[name] ?? undefined;
    edits.remove.push(name);
  }
  if (systemRole === undefined || !request.messages.some(isSystem)) return;
  edits.set.messages = request.messages.map((message) => (isSystem(message) ? { ...message, role: systemRole } : message));
}

function isSystem({ role }: ChatMessage): boolean {
  return role === 'system';
}

/** Schemas as the provider takes them: one that OpenAI cannot be bound to would have the whole request refused. */
function editSchemas(request: ChatRequest, dialect: ModelRules['schemaDialect'], edits: Edits): void {
  const { tools, format } = takenSchemas(dialect, request.tools, request.response_format);
  if (tools !== undefined) Object.assign(edits.set, { tools });
  if (format !== undefined) edits.set.response_format = format;
  edits.changed.push(...(tools === undefined ? [] : ['tools']), ...(format === undefined ? [] : ['response_format']));
}

/** JSON alone can be asked for: the schema stands in words. */
function editFormat(request: ChatRequest, edits: Edits): void {
  if (request.response_format?.type !== 'json_schema') return;
  edits.set.response_format = { type: 'json_object' };
  edits.set.messages = [{ role: 'system', content: jsonRuleOf(request) }, ...((edits.set.messages as ChatMessage[]) ?? request.messages)];
  edits.changed.push('response_format');
}
