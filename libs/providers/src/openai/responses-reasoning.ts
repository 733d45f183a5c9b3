import { isObject, objectOf } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import type { ChatMessage } from './types.ts';

/** Begins the `encrypted_content` that the relay made for a model of another dialect: no provider can read it. */
export const carriedMark = 'tg1.';
/** The same as base64, for callers who keep nothing but bytes: 30 of its 32 bits, as the last two share a letter with what follows. */
export const sealedMark = Buffer.from(carriedMark).toString('base64').slice(0, 5);

/**
 * A reasoning item of Responses as signed thinking of the canonical format: its summary as the text, the encrypted item as the signature.
 * The signature is plain base64, because Gemini callers keep bytes. Undefined for an item without encrypted content.
 * Source: https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
 */
export function thinkingBlockOf(item: JsonObject, text: string): JsonObject | undefined {
  const { id, summary, encrypted_content: encrypted } = item;
  if (typeof encrypted !== 'string' || encrypted === '') return undefined;
  const kept = JSON.stringify({ id, summary: summary ?? [], encrypted_content: encrypted });
  return { type: 'thinking', thinking: text, signature: Buffer.from(carriedMark + kept).toString('base64') };
}

/** The reasoning items that a turn of the conversation brought back, in order. Thinking of other providers' models is left out. */
export function reasoningItemsOf({ thinking_blocks: blocks }: ChatMessage): JsonObject[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.map((block: unknown) => reasoningItemIn(objectOf(block).signature)).filter((item) => item !== undefined);
}

/** Whether a block of thinking holds a reasoning item of Responses, which other providers refuse. */
export function isSealedReasoning(block: unknown): boolean {
  return isObject(block) && typeof block.signature === 'string' && block.signature.startsWith(sealedMark);
}

function reasoningItemIn(signature: unknown): JsonObject | undefined {
  if (typeof signature !== 'string' || !signature.startsWith(sealedMark)) return undefined;
  try {
    const kept: unknown = JSON.parse(Buffer.from(signature, 'base64').toString().slice(carriedMark.length));
    if (!isObject(kept) || typeof kept.encrypted_content !== 'string') return undefined;
    const { id, summary, encrypted_content } = kept;
    return { type: 'reasoning', ...(typeof id === 'string' && { id }), summary: Array.isArray(summary) ? summary : [], encrypted_content };
  } catch {
    return undefined; // made by someone else: like the reasoning of another model
  }
}

/** A summary of a conversation as the `encrypted_content` of a compaction item that the relay made. It can be sent to every provider. */
export function compactionSealed(summary: string): string {
  return carriedMark + Buffer.from(JSON.stringify({ summary })).toString('base64url');
}

/** The same as a message of the user's; undefined for a compaction that a provider made, which it alone can read. */
export function compactedText({ encrypted_content: sealed }: JsonObject): string | undefined {
  if (typeof sealed !== 'string' || !sealed.startsWith(carriedMark)) return undefined;
  try {
    const kept: unknown = JSON.parse(Buffer.from(sealed.slice(carriedMark.length), 'base64url').toString());
    return isObject(kept) && typeof kept.summary === 'string' ? `Summary of the conversation so far:\n${kept.summary}` : undefined;
  } catch {
    return undefined;
  }
}
