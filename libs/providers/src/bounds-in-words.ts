import { isObject } from './objects.ts';
import type { JsonObject } from './provider.ts';

/** Keywords whose members have names of the caller's. */
const named = new Set(['properties', '$defs', 'definitions']);
const combined = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);

/** The schema with the bounds that a provider does not take in its descriptions instead. */
export function boundsInWords(value: unknown, isBound: (keyword: string, value: unknown) => boolean): unknown {
  if (!isObject(value)) return value;
  const inner = (one: unknown) => boundsInWords(one, isBound);
  const node: JsonObject = {};
  const moved: string[] = [];
  for (const [keyword, stated] of Object.entries(value)) {
    if (isBound(keyword, stated)) moved.push(`${keyword}: ${JSON.stringify(stated)}`);
    else if (named.has(keyword) && isObject(stated))
      node[keyword] = Object.fromEntries(Object.entries(stated).map(([name, schema]) => [name, inner(schema)]));
    else if (combined.has(keyword) && Array.isArray(stated)) node[keyword] = stated.map(inner);
    else node[keyword] = keyword === 'items' || keyword === 'additionalProperties' ? inner(stated) : stated;
  }
  if (moved.length === 0) return node;
  const { description } = node;
  return { ...node, description: `${typeof description === 'string' ? `${description}\n\n` : ''}{${moved.join(', ')}}` };
}
