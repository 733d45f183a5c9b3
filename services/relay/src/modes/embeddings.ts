import { type EmbeddingsRequest, estimateEmbeddings } from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';

/** Vectors of texts. There is no output to pay for. */
export const embeddings: ModeRules<EmbeddingsRequest> = {
  mode: 'embeddings',
  hasExtras: true,
  weigh: (request, measure) => estimateEmbeddings(request, measure),
  output: () => ({ maxTokens: 0, choices: 1 }),
  dialectOf: (provider) => provider.embeddings,
};
