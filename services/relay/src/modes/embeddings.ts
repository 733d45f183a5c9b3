import { type EmbeddingsRequest, estimateInput } from '@tollgate/providers';
import type { RelayRoute } from '../call/route.ts';
import { embeddingsRequest } from '../inbound/openai-chat/input-requests.ts';

/** POST /v1/embeddings. There is no output to pay for. */
export const embeddingsRoute: RelayRoute<EmbeddingsRequest> = {
  mode: 'embeddings',
  check: embeddingsRequest,
  weigh: (request) => estimateInput(request.input),
  output: () => ({ maxTokens: 0, choices: 1 }),
  dialectOf: (provider) => provider.embeddings,
};
