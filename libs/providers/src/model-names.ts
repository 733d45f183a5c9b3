import type { JsonObject } from './provider.ts';
import { unreadable } from './read-answer-shape.ts';

/** What the models of a provider's list are called; what has no name there is none. Throws: UpstreamError when it is no list. */
export function modelNames(list: unknown, field: 'id' | 'name', isWanted: (model: JsonObject) => boolean = () => true): string[] {
  if (!Array.isArray(list)) throw unreadable('no list of models');
  return list.flatMap((model: JsonObject | null) => {
    const name = model?.[field];
    return typeof name === 'string' && name !== '' && isWanted(model as JsonObject) ? [name] : [];
  });
}

/** One field of a body, whatever that is. */
export function memberOf(body: unknown, field: string): unknown {
  return (body as JsonObject | null | undefined)?.[field];
}
