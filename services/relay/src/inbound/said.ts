import type { JsonObject } from '@tollgate/providers';

/** The objects in a list of an answer; what is no list has none. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter((one): one is JsonObject => typeof one === 'object' && one !== null) : [];
}

/** A text of an answer, or the texts of its parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}
