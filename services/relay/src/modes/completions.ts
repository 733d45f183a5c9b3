import { type CompletionRequest, estimateInput } from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';

/** Texts that go on: every prompt of a list gets `n` answers, the best of `best_of`. */
export const completions: ModeRules<CompletionRequest> = {
  mode: 'completions',
  hasExtras: true,
  eachText: (request, visit) => eachInputText(request.prompt, visit),
  weigh: (request, measure) => estimateInput(request.prompt, measure),
  output: (request) => ({
    maxTokens: request.max_tokens ?? undefined,
    choices: Math.max(request.n ?? 1, typeof request.best_of === 'number' ? request.best_of : 1) * inputCount(request.prompt),
  }),
  dialectOf: (provider) => provider.completions,
};

/** Visits every text of an input; inputs of token numbers have none. */
function eachInputText(input: unknown, visit: (text: string) => void): void {
  if (typeof input === 'string') visit(input);
  else if (Array.isArray(input)) for (const item of input) if (typeof item === 'string') visit(item);
}

/** How many inputs one request holds: each gets an answer of its own. */
function inputCount(input: CompletionRequest['prompt']): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}
