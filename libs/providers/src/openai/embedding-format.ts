import type { JsonObject } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';

/**
 * True when an embeddings answer lists numbers. OpenAI's clients ask for base64 by default and read whatever comes as that,
 * while many providers ignore the wish.
 */
export function holdsFloats(body: Buffer): boolean {
  return /"embedding"\s*:\s*\[/.test(body.toString('latin1', 0, 4096));
}

/** The answer with each vector as base64 of its little-endian 32-bit floats, as OpenAI sends it. Throws: UpstreamError for what is no vector. */
export function withBase64(answer: JsonObject): JsonObject {
  if (!Array.isArray(answer.data)) return answer;
  return {
    ...answer,
    data: answer.data.map((item: JsonObject) => {
      if (!Array.isArray(item?.embedding)) return item;
      const vector: unknown[] = item.embedding;
      if (!vector.every((number) => typeof number === 'number')) throw unreadable('a vector of what is no number');
      return { ...item, embedding: Buffer.from(Float32Array.from(vector).buffer).toString('base64') };
    }),
  };
}
