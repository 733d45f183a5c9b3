import { type EmbeddingsRequest, estimateInput } from '@tollgate/providers';
import type { ModeRules } from '../pipeline/route.ts';

/** Vectors of texts. There is no output to pay for. */
export const embeddings: ModeRules<EmbeddingsRequest> = {
  mode: 'embeddings',
  hasExtras: true,
  weigh: (request, measure) => estimateInput(request.input, measure),
  output: () => ({ maxTokens: 0, choices: 1 }),
  dialectOf: (provider) => provider.embeddings,
};
