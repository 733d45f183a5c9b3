import { isObject } from './objects.ts';
import type { JsonObject } from './provider.ts';

/** Whose names are no keywords. */
const named = new Set(['properties', '$defs', 'definitions']);
const combined = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);

/** A schema whose bounds that a provider does not take are told in its descriptions. */
export function boundsInWords(value: unknown, isBound: (keyword: string, value: unknown) => boolean): unknown {
  if (!isObject(value)) return value;
  const inner = (one: unknown) => boundsInWords(one, isBound);
  const node: JsonObject = {};
  const told: string[] = [];
  for (const [keyword, stated] of Object.entries(value)) {
    if (isBound(keyword, stated)) told.push(`${keyword}: ${JSON.stringify(stated)}`);
    else if (named.has(keyword) && isObject(stated))
      node[keyword] = Object.fromEntries(Object.entries(stated).map(([name, schema]) => [name, inner(schema)]));
    else if (combined.has(keyword) && Array.isArray(stated)) node[keyword] = stated.map(inner);
    else node[keyword] = keyword === 'items' || keyword === 'additionalProperties' ? inner(stated) : stated;
  }
  if (told.length === 0) return node;
  const { description } = node;
  return { ...node, description: `${typeof description === 'string' ? `${description}\n\n` : ''}{${told.join(', ')}}` };
}
