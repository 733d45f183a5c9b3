import { type CompletionRequest, estimateInput } from '@tollgate/providers';
import type { RelayRoute } from '../call/route.ts';
import { completionRequest, eachInputText, inputCount } from '../inbound/openai-chat/input-requests.ts';

/** POST /v1/completions: every prompt of a list gets `n` answers, the best of `best_of`. */
export const completionsRoute: RelayRoute<CompletionRequest> = {
  mode: 'completions',
  hasExtras: true,
  check: completionRequest,
  eachText: (request, visit) => eachInputText(request.prompt, visit),
  weigh: (request) => estimateInput(request.prompt),
  output: (request) => ({
    maxTokens: request.max_tokens ?? undefined,
    choices: Math.max(request.n ?? 1, typeof request.best_of === 'number' ? request.best_of : 1) * inputCount(request.prompt),
  }),
  dialectOf: (provider) => provider.completions,
  chunk: 'text_completion',
};
