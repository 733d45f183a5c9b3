import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';

/** Any other name is refused there. Source: https://ai.google.dev/api/caching#Schema */
const keywords = new Set([
  ...['type', 'format', 'description', 'nullable', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties', 'required', 'propertyOrdering', 'example'],
]);
const knownFormats = new Set(['enum', 'date-time']);
const mostNodes = 5000; // references may nest: inlining must not grow without end
const deepest = 40;

/**
 * A JSON schema in the part of OpenAPI's that Gemini takes: references inlined, what it does not know left out or said otherwise.
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
    const part = (inner: unknown) => clean(inner, depth + 1, inside) as JsonObject;
    const result: JsonObject = {};
    for (const [keyword, inner] of Object.entries(node)) {
      if (!keywords.has(keyword)) continue;
      if (keyword === 'format' && !([node.type].flat().includes('string') && knownFormats.has(String(inner)))) continue;
      result[keyword] = inner;
    }
    // Names of properties are not keywords: one may be called `default`.
    if (isObject(node.properties)) result.properties = mapValues(node.properties, (property) => part(property === true ? {} : property));
    const items = itemsOf(node).map(part);
    if (items.length > 0) result.items = items.length === 1 ? items[0] : { anyOf: items };
    const either = node.anyOf ?? node.oneOf;
    if (Array.isArray(either)) {
      const real = either.filter((one) => !isNothing(one));
      result.anyOf = real.map(part);
      if (real.length < either.length) result.nullable = true;
    }
    Object.assign(result, choicesOf(node));
    return settled(withOneType(Array.isArray(node.allOf) ? ofOneType(joined([...node.allOf.map(part), result])) : result));
  }

  return clean(schema, 0, new Set()) as JsonObject;
}

/** What stands in a list; none for what is no list. Gemini must be told, so a list of whatever is one of texts. */
function itemsOf({ type, items, prefixItems }: JsonObject): unknown[] {
  const listed = [prefixItems, items].flat().filter((item) => isObject(item) && Object.keys(item).length > 0);
  return listed.length === 0 && [type].flat().includes('array') ? [{ type: 'string' }] : listed;
}

/** Only texts can be chosen from; other values are told in words. */
function choicesOf({ type, enum: choices, const: only, description }: JsonObject): JsonObject {
  if (only === undefined && !Array.isArray(choices)) return {};
  const all = only === undefined ? (choices as unknown[]) : [only];
  const values = all.filter((value) => value !== null);
  const nullable = values.length < all.length ? { nullable: true } : {};
  const isText = type === undefined || [type].flat().includes('string');
  if (isText && values.every((value) => typeof value === 'string')) {
    const named = values.filter((value) => value !== ''); // refused there
    return { ...nullable, type: 'string', ...(named.length > 0 && { enum: named }) };
  }
  const told = `One of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  const kinds = new Set(values.map((value) => typeof value));
  const kind = kinds.size === 1 && !kinds.has('object') ? { type: [...kinds][0] } : {};
  return { ...nullable, ...(type === undefined && kind), description: typeof description === 'string' ? `${description}. ${told}` : told };
}

/** What all of several schemas want, as one. */
function joined(all: readonly JsonObject[]): JsonObject {
  const properties: JsonObject = Object.assign({}, ...all.map((one) => one.properties));
  const required = new Set(all.flatMap((one) => (Array.isArray(one.required) ? (one.required as unknown[]) : [])));
  return {
    ...(Object.assign({}, ...all) as JsonObject),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.size > 0 && { required: [...required] }),
  };
}

/** Parts that contradict each other leave choices of texts, and items of a list, at a value of another type. */
function ofOneType({ enum: choices, items, ...node }: JsonObject): JsonObject {
  const [hasTexts, hasItems] = [node.type === undefined || node.type === 'string', node.type === undefined || node.type === 'array'];
  return { ...node, ...(choices !== undefined && hasTexts && { enum: choices }), ...(items !== undefined && hasItems && { items }) };
}

/** `type: ["string", "null"]` is said as a nullable string. */
function withOneType(node: JsonObject): JsonObject {
  if (!Array.isArray(node.type)) return node;
  const types = node.type.filter((type) => type !== 'null');
  const nullable = types.length < node.type.length ? { nullable: true } : {};
  if (types.length === 1) return { ...node, ...nullable, type: types[0] };
  const { type: _types, items, ...rest } = node;
  return { ...rest, ...nullable, anyOf: types.map((type) => (type === 'array' ? { type, items } : { type })) };
}

/**
 * What is said once and fits together: alternatives without the one of nothing, which a word of its own says, and beside nothing else; fields of objects
 * at objects alone, and no field that is required and not there. Source: https://github.com/googleapis/python-genai/issues/625
 */
function settled(node: JsonObject): JsonObject {
  if (!Array.isArray(node.anyOf)) return withOwnFields(node);
  const { anyOf, nullable, description, ...beside } = node;
  const parts = anyOf as JsonObject[];
  const more = nullable === true ? { nullable: true } : {};
  const [only] = parts;
  if (only === undefined) return withOwnFields({ type: 'string', ...beside, ...(description !== undefined && { description }), ...more });
  if (parts.length === 1) return withOwnFields({ ...beside, ...(description !== undefined && { description }), ...only, ...more });
  return {
    anyOf: parts.map((part) => {
      const whole = Object.keys(part).length === 0 ? { type: 'string' } : part;
      return {
        ...(description !== undefined && whole.anyOf === undefined && { description }),
        ...whole,
        ...(whole.anyOf === undefined && more),
      };
    }),
  };
}

/** A value that can be nothing alone. */
function isNothing(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'null';
}

function withOwnFields(whole: JsonObject): JsonObject {
  const node = isNothing(whole) ? { ...whole, type: 'string', nullable: true } : whole;
  const { properties, required, propertyOrdering, ...rest } = node;
  if (properties === undefined && required === undefined && propertyOrdering === undefined) return node;
  if (rest.type !== undefined && rest.type !== 'object' && rest.type !== 'OBJECT') return rest;
  const known = isObject(properties) ? properties : {};
  const named = (names: unknown) => (Array.isArray(names) ? names.filter((name) => Object.hasOwn(known, String(name))) : []);
  return {
    ...rest,
    type: rest.type ?? 'object',
    ...(Object.keys(known).length > 0 && { properties: known }),
    ...(named(required).length > 0 && { required: named(required) }),
    ...(named(propertyOrdering).length > 0 && { propertyOrdering: named(propertyOrdering) }),
  };
}

/** `#/$defs/city` inside the schema. */
function resolve(schema: JsonObject, reference: string): JsonObject {
  let found: unknown = schema;
  for (const written of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const step = pointed(written);
    found = typeof found === 'object' && found !== null && Object.hasOwn(found, step) ? (found as JsonObject)[step] : undefined;
  }
  if (typeof found === 'object' && found !== null) return found as JsonObject;
  throw new RequestRefused(`A schema refers to ${reference.slice(0, 100)}, which is not in it`, 'tools');
}

/** A step of a JSON pointer in a fragment. Source: https://www.rfc-editor.org/rfc/rfc6901 */
function pointed(step: string): string {
  let decoded = step;
  try {
    decoded = decodeURIComponent(step);
  } catch {
    // it stands for itself
  }
  return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
}

function mapValues(object: unknown, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries((object ?? {}) as JsonObject).map(([key, value]) => [key, change(value)]));
}
