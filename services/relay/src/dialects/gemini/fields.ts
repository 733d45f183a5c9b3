import { isObject, type JsonObject } from '@tollgate/providers';
import { bareName, wrong } from '../fields.ts';

/** The name that Google's API takes as well: `maxOutputTokens` is `max_output_tokens`. */
export function otherName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A field under either of its names; under both it may be one thing to us and another to Google. Throws: AppError `invalid_request`. */
export function field(holder: JsonObject, name: string): unknown {
  const other = otherName(name);
  if (other === name) return holder[name];
  if (holder[name] !== undefined && holder[other] !== undefined) throw wrong(`${name} and ${other} are the same`, name);
  return holder[name] ?? holder[other];
}

/**
 * Refuses names that differ from a known one by case, blanks, brackets or underscores only, but for the two that Google takes. Gateways
 * behind this one may read them as the known one. Throws: AppError `invalid_request`.
 */
export function checkSpelling(holder: JsonObject, known: ReadonlyMap<string, string>, param = ''): void {
  for (const written of Object.keys(holder)) {
    const meant = known.get(bareName(written));
    if (meant === undefined || written === meant || written === otherName(meant)) continue;
    throw wrong(`${param}${written} must be written ${meant}`, `${param}${written}`);
  }
}

/** Names as `checkSpelling` looks them up. */
export function spellings(names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...names].map((name) => [bareName(name), name]));
}

/** An object under either of its names; undefined for none. Throws: AppError `invalid_request`. */
export function objectField(holder: JsonObject, name: string): JsonObject | undefined {
  const value = field(holder, name);
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw wrong(`${name} must be an object`, name);
  return value;
}

/** A list of objects, or of one that stands alone. Throws: AppError `invalid_request`. */
export function listField(holder: JsonObject, name: string): JsonObject[] {
  const value = field(holder, name);
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  if (!list.every(isObject)) throw wrong(`${name} must be a list of objects`, name);
  return list;
}

/** The names of what an object holds, as Google's documentation writes them. */
export function namesIn(holder: JsonObject): string[] {
  return Object.keys(holder).map((name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}
