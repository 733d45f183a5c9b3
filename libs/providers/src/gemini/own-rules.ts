import { nearestEffort } from '@tollgate/contracts/catalog';
import { rulesOf } from '../model-rules.ts';
import { isObject, objectsIn } from '../objects.ts';
import { jsonRuleOf } from '../openai/json-rule.ts';
import type { ChatRequest } from '../openai/types.ts';
import type { JsonObject } from '../provider.ts';
import { toGeminiSchema } from './json-schema.ts';
import { thinkingConfig } from './thinking.ts';

/** The fields of a schema there; one with any other is refused. Source: https://ai.google.dev/api/caching#Schema */
const schemaFields = new Set([
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'properties', 'required', 'example', 'default', 'pattern'],
  ...[
    'anyOf',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'minLength',
    'maxLength',
    'minProperties',
    'maxProperties',
    'propertyOrdering',
  ],
  ...['any_of', 'min_items', 'max_items', 'min_length', 'max_length', 'min_properties', 'max_properties', 'property_ordering'],
]);

interface Taken {
  set: JsonObject;
  changed: string[];
}

/**
 * What Google would refuse of a request in its own dialect, in the form that the model takes: thinking, schemas, and functions beside an answer that is
 * bound. Nothing is set where nothing would be refused.
 */
export function takenEdits(own: JsonObject, request: ChatRequest, model: string): Taken {
  const taken: Taken = { set: {}, changed: [] };
  const config = own.generationConfig ?? own.generation_config;
  if (isObject(config)) editConfig(own, { config, request, model }, taken);
  const tools = own.tools ?? undefined;
  const list = Array.isArray(tools) ? objectsIn(tools) : objectsIn([tools]);
  const told = list.map(withTakenSchemas);
  if (told.some((tool, at) => tool !== list[at])) {
    taken.set.tools = told;
    taken.changed.push('tools');
  }
  return taken;
}

interface Configured {
  config: JsonObject;
  request: ChatRequest;
  model: string;
}

function editConfig(own: JsonObject, { config, request, model }: Configured, taken: Taken): void {
  let next = config;
  const thinking = config.thinkingConfig ?? config.thinking_config;
  const thought = isObject(thinking) ? takenThinking(thinking, model) : undefined;
  if (thought !== undefined) {
    const { thinking_config: _other, ...rest } = next;
    next = { ...rest, thinkingConfig: thought };
    taken.changed.push('generationConfig.thinkingConfig');
  }
  for (const name of ['responseSchema', 'response_schema']) {
    const schema = next[name];
    if (!isObject(schema) || !isForeign(schema)) continue;
    next = { ...next, [name]: toGeminiSchema(schema) };
    taken.changed.push(`generationConfig.${name}`);
  }
  const rule = jsonRuleOf(request);
  if (rulesOf(model).tools?.withSchema === false && rule !== '' && (request.tools ?? []).some((tool) => tool.function)) {
    next = Object.fromEntries(Object.entries(next).filter(([name]) => !bound.has(name)));
    const instruction = own.systemInstruction ?? own.system_instruction;
    const parts =
      typeof instruction === 'string' ? [{ text: instruction }] : objectsIn(isObject(instruction) ? instruction.parts : undefined);
    taken.set.systemInstruction = { parts: [...parts, { text: rule }] };
    taken.changed.push('generationConfig.responseSchema');
  }
  if (next !== config) taken.set.generationConfig = next;
}

/** The form of an answer, under all of its names. */
const bound = new Set([
  ...['responseMimeType', 'response_mime_type', 'responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema'],
]);

/** Thinking as the model takes it; undefined where it takes it as it is. Source: https://ai.google.dev/gemini-api/docs/thinking */
function takenThinking(stated: JsonObject, model: string): JsonObject | undefined {
  const { reasoning } = rulesOf(model);
  const {
    thinkingBudget,
    thinking_budget: budget = thinkingBudget,
    thinkingLevel,
    thinking_level: level = thinkingLevel,
    ...rest
  } = stated;
  if (reasoning?.form === 'level' && typeof level === 'string') {
    const nearest = nearestEffort(level.toLowerCase(), reasoning);
    const isTaken = nearest === level.toLowerCase() && budget === undefined;
    return isTaken ? undefined : { ...rest, thinkingLevel: nearest };
  }
  if (reasoning?.form !== 'budget') return undefined;
  if (typeof level === 'string' && budget === undefined) {
    const { thinkingBudget: told } = thinkingConfig(model, level.toLowerCase(), undefined) ?? {};
    return { ...rest, ...(told !== undefined && { thinkingBudget: told }) };
  }
  if (typeof budget !== 'number' || budget < 0) return level === undefined ? undefined : { ...rest, thinkingBudget: budget };
  const { least = 0, most = Number.POSITIVE_INFINITY } = reasoning.budget ?? {};
  const lowest = budget === 0 && reasoning.off === true ? 0 : least;
  const within = Math.min(most, Math.max(lowest, budget));
  return within === budget && level === undefined ? undefined : { ...rest, thinkingBudget: within };
}

/** Functions with schemas that Google takes; the same tool where it takes all. */
function withTakenSchemas(tool: JsonObject): JsonObject {
  const name = tool.functionDeclarations === undefined ? 'function_declarations' : 'functionDeclarations';
  const declared = objectsIn(tool[name]);
  if (!declared.some(({ parameters }) => isForeign(parameters))) return tool;
  return {
    ...tool,
    [name]: declared.map((one) => (isForeign(one.parameters) ? { ...one, parameters: toGeminiSchema(one.parameters as JsonObject) } : one)),
  };
}

/** Whether a schema, or one within it, has a field that Google does not know. */
function isForeign(schema: unknown, depth = 0): boolean {
  if (!isObject(schema) || depth > 40) return false;
  if (!Object.keys(schema).every((name) => schemaFields.has(name))) return true;
  const inner = [
    schema.items,
    ...objectsIn(schema.anyOf ?? schema.any_of),
    ...Object.values(isObject(schema.properties) ? schema.properties : {}),
  ];
  return Array.isArray(schema.type) || inner.some((one) => isForeign(one, depth + 1));
}
