import { cachedTokensOf, completionTokensOf, type Usage } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';

/** Our classes in Anthropic's words: what was read from a cache, or written into one, is not among `input_tokens`. */
export function toAnthropicUsage(usage: Usage): JsonObject {
  const written = usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    input_tokens: usage.textInput + usage.audioInput + usage.imageInput,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cachedTokensOf(usage),
    ...(written > 0 && {
      cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite5m, ephemeral_1h_input_tokens: usage.cacheWrite1h },
    }),
    output_tokens: completionTokensOf(usage),
    ...(usage.reasoningOutput > 0 && { output_tokens_details: { thinking_tokens: usage.reasoningOutput } }),
  };
}
