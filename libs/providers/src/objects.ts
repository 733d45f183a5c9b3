import type { JsonObject } from './provider.ts';

/** Lists are none. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same; an empty one for whatever is none. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Some of its fields, as far as they are there. */
export function picked(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]])));
}

/** Those of a list; nothing for whatever is none. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
