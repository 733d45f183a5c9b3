import type { JsonObject } from '../provider.ts';

/**
 * True when an embeddings answer lists numbers. OpenAI's clients ask for base64 by default and read whatever comes as that,
 * while many providers ignore the wish.
 */
export function holdsFloats(body: Buffer): boolean {
  return /"embedding"\s*:\s*\[/.test(body.toString('latin1', 0, 4096));
}

/** The answer with each vector as base64 of its little-endian 32-bit floats, as OpenAI sends it. */
export function withBase64(answer: JsonObject): JsonObject {
  if (!Array.isArray(answer.data)) return answer;
  return {
    ...answer,
    data: answer.data.map((item: JsonObject) => {
      if (!Array.isArray(item?.embedding)) return item;
      return { ...item, embedding: Buffer.from(Float32Array.from(item.embedding as number[]).buffer).toString('base64') };
    }),
  };
}
