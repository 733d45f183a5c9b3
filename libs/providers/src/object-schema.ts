import { isObject } from './objects.ts';
import type { JsonObject } from './provider.ts';

const combinators = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * The schema of a tool's arguments as Anthropic and xAI take it: an object, without alternatives at the top. What those say becomes properties of one
 * object: required is what each of the alternatives requires, and what any part of a whole does.
 * Sources: https://github.com/anthropics/claude-code/issues/40075, https://github.com/james-6-23/codex2api/pull/579
 */
export function objectSchema(parameters: JsonObject | null | undefined): JsonObject {
  const schema: JsonObject = parameters ?? {};
  if (!combinators.some((name) => Array.isArray(schema[name]))) {
    return schema.type === 'object' ? schema : { properties: {}, ...schema, type: 'object' };
  }
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const properties: JsonObject = {};
  const required = new Set<unknown>(listIn(rest.required));
  const take = (part: JsonObject) => Object.assign(properties, isObject(part.properties) ? part.properties : {});
  for (const part of partsIn(allOf)) {
    take(part);
    for (const name of listIn(part.required)) required.add(name);
  }
  for (const either of [partsIn(anyOf), partsIn(oneOf)]) {
    either.forEach(take);
    const [first, ...others] = either.map((part) => listIn(part.required));
    for (const name of first ?? []) if (others.every((names) => names.includes(name))) required.add(name);
  }
  Object.assign(properties, isObject(rest.properties) ? rest.properties : {});
  const { required: _required, ...kept } = rest;
  return { ...kept, type: 'object', properties, ...(required.size > 0 && { required: [...required] }) };
}

function partsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
