import { parseExact } from '../exact-json.ts';
import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';

/**
 * What a model wrote as the arguments of a call, for dialects in which they are an object. It may have written something else, or no JSON at
 * all: then it stands in one as the text that it is, so that the conversation can go on, and its model sees what it did.
 */
export function argumentsObject(text: string | null | undefined): JsonObject {
  if (!text?.trim()) return {};
  try {
    const value = parseExact(text);
    if (isObject(value)) return value;
  } catch {
    // told below, like any other text that is no object
  }
  return { arguments: text };
}
