import type { JsonObject } from '@tollgate/providers';
import { objectsIn } from '../content.ts';

/** How likely the words of a choice, or of a piece of one, were, as Gemini tells it. Source: https://ai.google.dev/api/generate-content#LogprobsResult */
export function logprobsResultOf({ logprobs }: JsonObject): { logprobsResult?: JsonObject } {
  const told = objectsIn((logprobs as JsonObject | null | undefined)?.content);
  if (told.length === 0) return {};
  return {
    logprobsResult: {
      chosenCandidates: told.map(toCandidate),
      topCandidates: told.map(({ top_logprobs: others }) => ({ candidates: objectsIn(others).map(toCandidate) })),
    },
  };
}

function toCandidate({ token, logprob }: JsonObject): JsonObject {
  return { token, logProbability: logprob };
}
