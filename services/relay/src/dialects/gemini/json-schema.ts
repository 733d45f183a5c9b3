import type { JsonObject } from '@tollgate/providers';

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
