import type { JsonObject } from '../provider.ts';

/** Whether a model can be bound to schemas: since 4.5. `claude-3-5-sonnet` and `claude-opus-4-20250514` cannot. */
export function knowsSchemas(model: string): boolean {
  const [, major = '0', minor = '0'] = /^claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?:-|$)/.exec(model) ?? [];
  return Number(major) + Number(minor) / 100 >= 4.05;
}

const keywords = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', 'description', 'title', 'default'],
  ...['format', 'minItems', '$ref', '$defs', 'definitions'],
]);
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);
const mostNodes = 5000; // references may nest
const deepest = 40;

/**
 * A schema as Anthropic may be bound to it, by an answer or the arguments of a tool: without the name of its language, which the helpers of
 * clients write and nobody there knows. undefined for one that cannot be said.
 */
export function bindable({ $schema: _language, ...schema }: JsonObject): JsonObject | undefined {
  return isSayable(schema) ? schema : undefined;
}

/**
 * Whether a schema stays within what Anthropic binds answers to: closed objects, no bounds of numbers and texts, nothing that contains
 * itself. Any other is refused there. Source: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
function isSayable(schema: JsonObject): boolean {
  let nodes = 0;
  return isKnown(schema, []);

  function isKnown(value: unknown, inside: readonly string[]): boolean {
    nodes += 1;
    if (nodes > mostNodes || inside.length > deepest || typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const node = value as JsonObject;
    if (!Object.keys(node).every((keyword) => keywords.has(keyword))) return false;
    if (node.type === 'object' && node.additionalProperties !== false) return false;
    if (node.format !== undefined && !formats.has(String(node.format))) return false;
    if (node.minItems !== undefined && node.minItems !== 0 && node.minItems !== 1) return false;
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
