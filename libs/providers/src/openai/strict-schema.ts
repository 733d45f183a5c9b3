import { strictSchemaRules } from '@tollgate/contracts';
import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';

const {
  keywords,
  formats,
  properties: mostProperties,
  depth: deepest,
  names: mostCharacters,
  enumValues,
  longEnum,
} = strictSchemaRules.openai;
const known = new Set(keywords);
const knownFormats = new Set<unknown>(formats);
const namedSchemas = ['$defs', 'definitions'] as const;

/**
 * Whether OpenAI can bind an answer or arguments to a schema: closed objects that require all of their properties, within its keywords and limits.
 * Source: `strict-schemas.json`.
 */
function isBindable(schema: unknown): boolean {
  if (!isObject(schema) || schema.type !== 'object' || schema.anyOf !== undefined) return false;
  let [propertyCount, characters, values] = [0, 0, 0];
  return isWithin(schema, 1) && propertyCount <= mostProperties && characters <= mostCharacters && values <= enumValues;

  function isWithin(node: unknown, level: number): boolean {
    if (!isObject(node) || !Object.keys(node).every((keyword) => known.has(keyword))) return false;
    if (node.format !== undefined && !knownFormats.has(node.format)) return false;
    if (!takesChoices(node)) return false;
    for (const holder of namedSchemas) {
      for (const [name, inner] of Object.entries(isObject(node[holder]) ? node[holder] : {})) {
        characters += name.length;
        if (!isWithin(inner, level)) return false;
      }
    }
    if (node.anyOf !== undefined && !(Array.isArray(node.anyOf) && node.anyOf.every((one) => isWithin(one, level)))) return false;
    if (node.items !== undefined && !isWithin(node.items, level)) return false;
    return isClosed(node, level);
  }

  function takesChoices({ enum: choices, const: only }: JsonObject): boolean {
    if (typeof only === 'string') characters += only.length;
    if (choices === undefined) return true;
    if (!Array.isArray(choices) || choices.length === 0) return false;
    const length = choices.reduce<number>((sum, one) => sum + (typeof one === 'string' ? one.length : 0), 0);
    values += choices.length;
    characters += length;
    return choices.length <= longEnum.values || length <= longEnum.characters;
  }

  function isClosed({ type, properties, required, additionalProperties }: JsonObject, level: number): boolean {
    const isOfObjects = [type].flat().includes('object') || properties !== undefined;
    if (!isOfObjects) return true;
    if (level > deepest || additionalProperties !== false || (properties !== undefined && !isObject(properties))) return false;
    const names = Object.keys(properties ?? {});
    propertyCount += names.length;
    characters += names.reduce((sum, name) => sum + name.length, 0);
    if (propertyCount > mostProperties) return false;
    const asked = new Set(Array.isArray(required) ? required : []);
    return asked.size === names.length && names.every((name) => asked.has(name) && isWithin((properties as JsonObject)[name], level + 1));
  }
}

/** A strict tool or response format is no longer strict where OpenAI cannot be bound to its schema; undefined: it may stay as it is. */
export function loosened(holder: JsonObject, field: 'parameters' | 'schema'): JsonObject | undefined {
  return holder.strict === true && !isBindable(holder[field]) ? { strict: false } : undefined;
}
