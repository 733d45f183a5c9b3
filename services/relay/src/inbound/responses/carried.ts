import { type JsonObject, carriedMark as mark } from '@tollgate/providers';
import { isObject } from '../fields.ts';

/**
 * What a provider wants back with the next question and Responses has no word for: signed thinking, and what a tool call carries. It
 * travels in the field of a reasoning item that callers keep and send back unread, `encrypted_content`.
 */
export interface Carried {
  /** Signed thinking of the turn, as the hub says it (`thinking_blocks`). */
  thinking?: JsonObject[];
  /** What calls carry (`extra_content`), by their ids. */
  calls?: Record<string, JsonObject>;
}

export function packed(carried: Carried): string {
  return mark + Buffer.from(JSON.stringify(carried)).toString('base64url');
}

/** Undefined when it is not ours: another's can be read by its own model alone. */
export function unpacked(text: string): Carried | undefined {
  if (!text.startsWith(mark)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text.slice(mark.length), 'base64url').toString());
    if (!isObject(value)) return undefined;
    const thinking = Array.isArray(value.thinking)
      ? value.thinking.filter((block) => isObject(block) && typeof block.type === 'string')
      : [];
    const calls = isObject(value.calls) ? Object.entries(value.calls).filter(([, extra]) => isObject(extra)) : [];
    return { thinking: thinking as JsonObject[], calls: Object.fromEntries(calls) as Record<string, JsonObject> };
  } catch {
    return undefined;
  }
}
