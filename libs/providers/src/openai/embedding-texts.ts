import { RequestRefused } from '../upstream-error.ts';
import type { EmbeddingsRequest, EmbeddingsResponse } from './types.ts';

/** The texts to embed, for providers that know no token ids. Throws: RequestRefused. */
export function embeddingTexts({ input }: EmbeddingsRequest, most: number): string[] {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length === 0) throw new RequestRefused('The input is empty', 'input');
  if (texts.length > most) throw new RequestRefused(`This model takes at most ${most} texts a call`, 'input');
  if (!texts.every((text) => typeof text === 'string')) throw new RequestRefused('This model takes texts only, no tokens', 'input');
  return texts as string[];
}

/** Vectors in the order of their texts as OpenAI's answer, which says no usage yet. */
export function embeddingList(vectors: readonly number[][], model: string): EmbeddingsResponse {
  return { object: 'list', data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })), model };
}
