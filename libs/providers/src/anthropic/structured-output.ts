import { boundsInWords } from '../bounds-in-words.ts';
import type { JsonObject } from '../provider.ts';

const keywords = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', 'description', 'title', 'default'],
  ...['format', 'minItems', '$ref', '$defs', 'definitions'],
]);
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);
const mostNodes = 5000; // references may nest
const deepest = 40;

/** What a value may be, of a shape that is bound: nothing is bound to these there. */
const bounds = new Set([
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern'],
  ...['maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);

/**
 * A schema as Anthropic may be bound to it, by an answer or the arguments of a tool: without the name of its language, which the helpers of
 * clients write and nobody there knows, and with bounds of values told in words, as its own clients do. undefined for one that cannot be said.
 */
export function bindable({ $schema: _language, ...schema }: JsonObject): JsonObject | undefined {
  return isSayable(schema) ? (boundsInWords(schema, isBound) as JsonObject) : undefined;
}

function isBound(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return !formats.has(String(value));
  return keyword === 'minItems' ? value !== 0 && value !== 1 : bounds.has(keyword);
}

/**
 * Whether the shape of a schema stays within what Anthropic binds answers to: closed objects, nothing that contains itself. Any other is
 * refused there. Source: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
function isSayable(schema: JsonObject): boolean {
  let nodes = 0;
  return isKnown(schema, []);

  function isKnown(value: unknown, inside: readonly string[]): boolean {
    nodes += 1;
    if (nodes > mostNodes || inside.length > deepest || typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const node = value as JsonObject;
    if (!Object.keys(node).every((keyword) => keywords.has(keyword) || bounds.has(keyword))) return false;
    if (node.type === 'object' && node.additionalProperties !== false) return false;
    if (Array.isArray(node.enum) && node.enum.some((one) => typeof one === 'object' && one !== null)) return false;
    const isWithin = (one: unknown) => isKnown(one, [...inside, '']);
    if (node.$ref !== undefined && !isReferred(node.$ref, inside)) return false;
    if (node.items !== undefined && !isWithin(node.items)) return false;
    if (node.anyOf !== undefined && !(Array.isArray(node.anyOf) && node.anyOf.every(isWithin))) return false;
    return Object.values((node.properties ?? {}) as JsonObject).every(isWithin);
  }

  function isReferred(reference: unknown, inside: readonly string[]): boolean {
    const [, holder, name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? [];
    if (holder === undefined || inside.includes(name)) return false;
    const defined = schema[holder] as JsonObject | null | undefined;
    return isKnown(Object.hasOwn(defined ?? {}, name) ? defined?.[name] : undefined, [...inside, name]);
  }
}
