import { objectsIn } from './objects.ts';
import type { AnyRequest, ChatRequest } from './openai/types.ts';

/**
 * Fields of the canonical request that a provider may be sent without: they tune an answer, or make it cheaper, or are notes for an account. All others
 * are sent, or the request is refused by their name. What a provider is not sent of them is listed for the caller.
 */
const omittable = [
  ...['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty', 'reasoning_effort'],
  ...['user', 'safety_identifier', 'metadata', 'store', 'prediction', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
] as const;

export type OmittableField = (typeof omittable)[number];

export const allOmittable: ReadonlySet<OmittableField> = new Set(omittable);

const nothing: readonly string[] = [];

/** The omittable fields of a request that a provider which supports only `says` is not sent. */
export function leftOutOf(request: AnyRequest, says: ReadonlySet<string> | undefined): readonly string[] {
  let left: string[] | undefined;
  for (const field of omittable) {
    const value = request[field];
    if (value === undefined || value === null || value === false || says?.has(field) === true) continue;
    if (field === 'reasoning_effort' && value === 'none') continue;
    left ??= [];
    left.push(field);
  }
  return left ?? nothing;
}

/** Whether something in a request is marked to be cached. */
export function marksCaching({ messages, tools }: ChatRequest): boolean {
  if (!Array.isArray(messages)) return false;
  for (const message of messages) {
    const content = message?.content;
    if (!Array.isArray(content)) continue;
    for (const part of content) if (part?.cache_control) return true;
  }
  return objectsIn(tools).some((tool) => Boolean(tool.cache_control));
}
