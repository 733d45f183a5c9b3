import { cachedTokensOf, completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';

/** Our classes as Responses shows them. */
export function toResponsesUsage(usage: Usage): JsonObject {
  const [input, output] = [promptTokensOf(usage), completionTokensOf(usage)];
  return {
    input_tokens: input,
    input_tokens_details: { cache_write_tokens: usage.cacheWrite5m + usage.cacheWrite1h, cached_tokens: cachedTokensOf(usage) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningOutput },
    total_tokens: input + output,
  };
}
