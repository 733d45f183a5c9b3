import { z } from 'zod';
import type { Likelihoods } from '../openai/types.ts';

const one = z.object({ token: z.string().nullish(), logProbability: z.number().nullish() });
type Candidate = z.infer<typeof one>;

/** How likely each token of an answer was, and which others might have been. Nothing where it cannot be read. */
export const logprobsResult = z
  .object({
    chosenCandidates: z.array(one).nullish(),
    topCandidates: z.array(z.object({ candidates: z.array(one).nullish() })).nullish(),
  })
  .nullish()
  .catch(undefined);

/** The same in OpenAI's words; undefined for none. Source: https://ai.google.dev/api/generate-content#LogprobsResult */
export function likelihoodsIn(result: z.infer<typeof logprobsResult>): Likelihoods | undefined {
  const chosen = result?.chosenCandidates ?? [];
  if (chosen.length === 0) return undefined;
  const others = result?.topCandidates ?? [];
  const content = chosen.map((candidate, at) => ({
    ...toLikelihood(candidate),
    top_logprobs: (others[at]?.candidates ?? []).map(toLikelihood),
  }));
  return { content, refusal: null };
}

/** What is as likely as that is left out there: it was certain. */
function toLikelihood({ token, logProbability }: Candidate) {
  return { token: token ?? '', logprob: logProbability ?? 0, bytes: [...Buffer.from(token ?? '')] };
}
