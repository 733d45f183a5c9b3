import { strictSchemaRules } from '@tollgate/contracts';
import { isObject, objectsIn } from '../objects.ts';
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
export function isBindable(schema: unknown): boolean {
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

/** Tools of which those are no longer strict that cannot be; undefined where all may stay as they are. */
export function loosenedTools(tools: unknown): JsonObject[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  const isWrong = (holder: JsonObject) => holder.strict === true && !isBindable(holder.parameters);
  const holderOf = (tool: JsonObject) => (isObject(tool.function) ? tool.function : tool);
  if (!objectsIn(tools).some((tool) => isWrong(holderOf(tool)))) return undefined;
  return (tools as JsonObject[]).map((tool) => {
    if (!isObject(tool) || !isWrong(holderOf(tool))) return tool;
    return isObject(tool.function) ? { ...tool, function: { ...tool.function, strict: false } } : { ...tool, strict: false };
  });
}

/** The same for a response format of chat completions (`json_schema`) or Responses. */
export function loosenedFormat(format: unknown): JsonObject | undefined {
  if (!isObject(format) || format.type !== 'json_schema') return undefined;
  const holder = isObject(format.json_schema) ? format.json_schema : format;
  if (holder.strict !== true || isBindable(holder.schema)) return undefined;
  return holder === format ? { ...format, strict: false } : { ...format, json_schema: { ...holder, strict: false } };
}
