import type { JsonObject } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';

const unknownKeywords = new Set([
  ...['$schema', '$id', '$defs', 'definitions', '$ref', 'additionalProperties', 'title', 'default', 'exclusiveMinimum'],
  ...['exclusiveMaximum', 'strict', 'patternProperties', 'const', 'oneOf'],
]);
const knownFormats = new Set(['enum', 'date-time']);
const mostNodes = 5000; // references may nest: inlining must not grow without end
const deepest = 40;

/**
 * A JSON schema in the part of OpenAPI's that Gemini takes: references inlined, what it refuses left out or said otherwise.
 * A schema that contains itself is cut where it does. Throws: RequestRefused when it is too large inlined.
 */
export function toGeminiSchema(schema: JsonObject): JsonObject {
  let nodes = 0;

  function clean(value: unknown, depth: number, inside: ReadonlySet<string>): unknown {
    if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1, inside));
    if (typeof value !== 'object' || value === null) return value;
    nodes += 1;
    if (nodes > mostNodes || depth > deepest) throw new RequestRefused('A schema is too large for this model', 'tools');
    const node = value as JsonObject;
    if (typeof node.$ref === 'string') {
      if (inside.has(node.$ref)) return { type: 'object' };
      const { $ref, ...beside } = node;
      const referred = resolve(schema, $ref as string);
      return clean({ ...referred, ...beside }, depth + 1, new Set([...inside, $ref as string]));
    }
    const result: JsonObject = {};
    for (const [keyword, inner] of Object.entries(node)) {
      if (unknownKeywords.has(keyword)) continue;
      if (keyword === 'format' && !([node.type].flat().includes('string') && knownFormats.has(String(inner)))) continue;
      // Names of properties are not keywords: one may be called `default`.
      if (keyword === 'properties') result.properties = mapValues(inner, (property) => clean(property, depth + 1, inside));
      else if (keyword === 'enum') result.enum = inner;
      else result[keyword] = clean(inner, depth + 1, inside);
    }
    if (node.const !== undefined) result.enum = [node.const];
    if (node.oneOf !== undefined && result.anyOf === undefined) result.anyOf = clean(node.oneOf, depth + 1, inside);
    return withOneType(result);
  }

  return clean(schema, 0, new Set()) as JsonObject;
}

/** `type: ["string", "null"]` is said as a nullable string. */
function withOneType(node: JsonObject): JsonObject {
  if (!Array.isArray(node.type)) return node;
  const types = node.type.filter((type) => type !== 'null');
  const nullable = types.length < node.type.length ? { nullable: true } : {};
  if (types.length === 1) return { ...node, ...nullable, type: types[0] };
  const { type: _types, ...rest } = node;
  return { ...rest, ...nullable, anyOf: types.map((type) => ({ type })) };
}

/** `#/$defs/city` inside the schema. */
function resolve(schema: JsonObject, reference: string): JsonObject {
  let found: unknown = schema;
  for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    found = typeof found === 'object' && found !== null && Object.hasOwn(found, step) ? (found as JsonObject)[step] : undefined;
  }
  if (typeof found === 'object' && found !== null) return found as JsonObject;
  throw new RequestRefused(`A schema refers to ${reference.slice(0, 100)}, which is not in it`, 'tools');
}

function mapValues(object: unknown, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries((object ?? {}) as JsonObject).map(([key, value]) => [key, change(value)]));
}
