import { carriedDetails, isObject, type JsonObject, carriedMark as mark, ReasoningDetails, sealedMark } from '@tollgate/providers';

/**
 * What a provider wants back with the next question and the caller's dialect has no word for: signed thinking, and what a tool call or
 * a text carries. It travels where callers keep and send back what they cannot read: in the `encrypted_content` of a reasoning item of
 * Responses, in the `data` of a `redacted_thinking` block of Anthropic's, in the `thoughtSignature` of a part of Gemini's.
 */
export interface RoundTripState {
  /** Signed thinking of the turn, as the hub says it (`thinking_blocks`). */
  thinking?: JsonObject[];
  /** What calls carry (`extra_content`), by their ids. */
  calls?: Record<string, JsonObject>;
  /** What its words carry, the same. */
  text?: JsonObject;
}

export function packed(carried: RoundTripState): string {
  return mark + Buffer.from(JSON.stringify(carried)).toString('base64url');
}

/** What has to come back with the next question; undefined for nothing. */
export function carriedBy(thinking: JsonObject[], calls: readonly JsonObject[], text?: unknown): RoundTripState | undefined {
  const extras = calls.flatMap(({ id, extra_content: extra }) => (extra ? [[String(id), extra as JsonObject] as const] : []));
  if (thinking.length === 0 && extras.length === 0 && !isObject(text)) return undefined;
  return {
    ...(thinking.length > 0 && { thinking }),
    ...(extras.length > 0 && { calls: Object.fromEntries(extras) }),
    ...(isObject(text) && { text }),
  };
}

/** What the words of a whole message carry. */
export function carriedByWords({ extra_content: extra, reasoning_details: stated }: JsonObject): JsonObject | undefined {
  const details = new ReasoningDetails();
  details.add(stated);
  return joinedWords(isObject(extra) ? extra : undefined, details.take());
}

/** What two pieces of a turn carry, as one. */
export function joinedWords(one: JsonObject | undefined, other: JsonObject | undefined): JsonObject | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const details = [...carriedDetails(one), ...carriedDetails(other)];
  return { ...one, ...other, ...(details.length > 0 && { openrouter: { reasoning_details: details } }) };
}

/** What words carry where a caller's dialect keeps bytes with them, as base64. */
export function sealedWords(text: JsonObject): string {
  return Buffer.from(packed({ text })).toString('base64');
}

/** The same back; undefined when it is not ours. */
export function unsealedWords(sealed: string): JsonObject | undefined {
  return sealed.startsWith(sealedMark) ? unpacked(Buffer.from(sealed, 'base64').toString())?.text : undefined;
}

/** What signs or seals a block of thinking, for a dialect that keeps bytes with it: Google refuses the signatures of others. */
export function sealedThinking({ thinking: _text, index: _index, ...block }: JsonObject): string {
  const { signature } = block;
  return typeof signature === 'string' && signature.startsWith(sealedMark)
    ? signature
    : Buffer.from(packed({ thinking: [block] })).toString('base64');
}

/** The same block back, without its text. */
export function unsealedThinking(sealed: string): JsonObject {
  const block = sealed.startsWith(sealedMark) ? unpacked(Buffer.from(sealed, 'base64').toString())?.thinking?.[0] : undefined;
  return block ?? { type: 'thinking', signature: sealed };
}

/** Undefined when it is not ours: another's can be read by its own model alone. */
export function unpacked(text: string): RoundTripState | undefined {
  if (!text.startsWith(mark)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text.slice(mark.length), 'base64url').toString());
    if (!isObject(value)) return undefined;
    const thinking = Array.isArray(value.thinking)
      ? value.thinking.filter((block) => isObject(block) && typeof block.type === 'string')
      : [];
    const calls = isObject(value.calls) ? Object.entries(value.calls).filter(([, extra]) => isObject(extra)) : [];
    return {
      thinking: thinking as JsonObject[],
      calls: Object.fromEntries(calls) as Record<string, JsonObject>,
      ...(isObject(value.text) && { text: value.text }),
    };
  } catch {
    return undefined;
  }
}
