import type { JsonObject } from '@tollgate/providers';
import { objectsIn } from '../content.ts';

/** How likely the words of a choice were, or of a piece of one, as Responses tells it; nothing where that is not told. */
export function likelihoodsIn({ logprobs }: JsonObject): JsonObject[] {
  if (!logprobs) return [];
  return objectsIn((logprobs as JsonObject).content).map((one) => ({
    ...toLikelihood(one),
    top_logprobs: objectsIn(one.top_logprobs).map(toLikelihood),
  }));
}

/** Not everybody tells the bytes of a token, and clients want them. */
function toLikelihood({ token, logprob, bytes }: JsonObject): JsonObject {
  return { token, bytes: Array.isArray(bytes) ? bytes : [...Buffer.from(typeof token === 'string' ? token : '')], logprob };
}
