import { type ChatRequest, isObject, type JsonObject } from '@tollgate/providers';
import type { UnsupportedFeatures } from '../dialect.ts';
import { worded, wrong } from '../fields.ts';
import { field, namesIn, objectField } from './fields.ts';

/** Numbers that have one name here and one there. */
const numbers = new Map([
  ['temperature', 'temperature'],
  ['topP', 'top_p'],
  ['topK', 'top_k'],
  ['maxOutputTokens', 'max_tokens'],
  ['candidateCount', 'n'],
  ['seed', 'seed'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
]);
const others = new Set([
  ...[
    'stopSequences',
    'responseMimeType',
    'responseSchema',
    'responseJsonSchema',
    'responseFormat',
    'responseModalities',
    'thinkingConfig',
    'responseLogprobs',
    'logprobs',
  ],
]);

/** The fields that are read here. */
export const configNames: readonly string[] = [...numbers.keys(), ...others];

/** How an answer is to be made, in the hub's words. Throws: AppError `invalid_request`. */
export function generationFields(config: JsonObject, unsupported: UnsupportedFeatures): Partial<ChatRequest> {
  const fields: JsonObject = {};
  for (const name of namesIn(config)) {
    const hubs = numbers.get(name);
    if (hubs !== undefined) Object.assign(fields, numberOf(config, name, hubs));
    else if (!others.has(name)) unsupported.note('this field', `generationConfig.${name}`);
  }
  return {
    ...fields,
    ...stopOf(config),
    ...formatOf(config, unsupported),
    ...modalitiesOf(config, unsupported),
    ...effortOf(config),
    ...likelihoodsOf(config),
  };
}

function numberOf(config: JsonObject, name: string, hubs: string): JsonObject {
  const value = field(config, name);
  if (value === undefined || value === null) return {};
  if (typeof value !== 'number') throw wrong(`generationConfig.${name} must be a number`, `generationConfig.${name}`);
  return { [hubs]: value };
}

function stopOf(config: JsonObject): { stop?: string[] } {
  const stops = field(config, 'stopSequences');
  if (stops === undefined || stops === null) return {};
  if (!Array.isArray(stops) || !stops.every((stop) => typeof stop === 'string')) {
    throw wrong('generationConfig.stopSequences must be a list of texts', 'generationConfig.stopSequences');
  }
  return stops.length === 0 ? {} : { stop: stops };
}

function likelihoodsOf(config: JsonObject): { logprobs?: true; top_logprobs?: number } {
  const others = field(config, 'logprobs') ?? 0;
  if (!Number.isInteger(others) || (others as number) < 0)
    throw wrong('generationConfig.logprobs must be an integer of at least 0', 'generationConfig.logprobs');
  if (field(config, 'responseLogprobs') !== true && others === 0) return {};
  return { logprobs: true, ...((others as number) > 0 && { top_logprobs: others as number }) };
}

function formatOf(config: JsonObject, unsupported: UnsupportedFeatures): Partial<ChatRequest> {
  const type = field(config, 'responseMimeType');
  if (field(config, 'responseFormat') !== undefined) unsupported.note('this field', 'generationConfig.responseFormat');
  if (type === undefined || type === null || type === 'text/plain') return {};
  if (type !== 'application/json') {
    unsupported.note(`answers of type ${worded(type)}`, 'generationConfig.responseMimeType');
    return {};
  }
  const schema = field(config, 'responseJsonSchema') ?? toJsonSchema(objectField(config, 'responseSchema'));
  if (!isObject(schema)) return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}

function modalitiesOf(config: JsonObject, unsupported: UnsupportedFeatures): { modalities?: string[] } {
  const wanted = field(config, 'responseModalities');
  if (!Array.isArray(wanted) || wanted.length === 0) return {};
  const modalities = wanted.map((one) => worded(one).toLowerCase());
  if (modalities.every((one) => one === 'text')) return {};
  unsupported.note('answers that are no texts', 'generationConfig.responseModalities');
  return { modalities };
}

/** How much thought a budget is, in the words that others have for it. Units: tokens. */
const efforts: readonly (readonly [most: number, effort: string])[] = [
  [2_048, 'low'],
  [8_192, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
];

function effortOf(config: JsonObject): { reasoning_effort?: string } {
  const thinking = objectField(config, 'thinkingConfig') ?? {};
  const level = field(thinking, 'thinkingLevel');
  if (typeof level === 'string' && level !== 'THINKING_LEVEL_UNSPECIFIED') return { reasoning_effort: level.toLowerCase() };
  const budget = field(thinking, 'thinkingBudget');
  if (budget !== undefined && budget !== null && !Number.isInteger(budget)) {
    throw wrong('generationConfig.thinkingConfig.thinkingBudget must be an integer', 'generationConfig.thinkingConfig');
  }
  // 0 asks for no thought and -1 for as much as the model likes: others are told neither.
  return typeof budget === 'number' && budget > 0 ? { reasoning_effort: efforts.find(([most]) => budget <= most)?.[1] } : {};
}

/** A schema of OpenAPI's kind, as Gemini takes it, as a JSON schema: types in small letters, what may be null said by its type. */
export function toJsonSchema(schema: JsonObject | undefined): JsonObject | undefined {
  return schema === undefined ? undefined : (converted(schema) as JsonObject);
}

/** Names of properties are not keywords: one may be called `type`. */
function converted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(converted);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, propertyOrdering: _order, ...node } = value as JsonObject;
  const result: JsonObject = {};
  for (const [keyword, inner] of Object.entries(node)) {
    if (keyword === 'type') result.type = nullable === true ? [smallType(inner), 'null'] : smallType(inner);
    else if (keyword === 'properties' && typeof inner === 'object' && inner !== null) {
      result.properties = Object.fromEntries(Object.entries(inner).map(([name, property]) => [name, converted(property)]));
    } else if (keyword === 'enum' || keyword === 'example' || keyword === 'default') result[keyword] = inner;
    else result[keyword] = countOf(keyword, converted(inner));
  }
  return result;
}

function smallType(type: unknown): unknown {
  return typeof type === 'string' ? type.toLowerCase() : type;
}

/** Google writes large integers as texts. */
function countOf(keyword: string, value: unknown): unknown {
  return /^(?:min|max)(?:Items|Length|Properties)$/.test(keyword) && typeof value === 'string' ? Number(value) : value;
}
