import type { JsonObject, UsageReading } from '../provider.ts';
import { usageReading } from '../usage-reading.ts';

/**
 * Anthropic's usage as disjoint classes. Units: tokens. `input_tokens` leaves cache reads and writes out; OpenAI's
 * `prompt_tokens` has them in, so the sum of our input classes is larger than `input_tokens`.
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
 */
export function readAnthropicUsage(usage: JsonObject | null | undefined): UsageReading | undefined {
  if (!usage) return undefined;
  return usageReading((count) => {
    const written = count('cache_creation_input_tokens', usage.cache_creation_input_tokens);
    const byLife = (usage.cache_creation ?? {}) as JsonObject;
    const cacheWrite1h = Math.min(written, count('ephemeral_1h_input_tokens', byLife.ephemeral_1h_input_tokens));
    return {
      textInput: count('input_tokens', usage.input_tokens),
      cachedInput: count('cache_read_input_tokens', usage.cache_read_input_tokens),
      cacheWrite5m: written - cacheWrite1h,
      cacheWrite1h,
      audioInput: 0,
      imageInput: 0,
      textOutput: count('output_tokens', usage.output_tokens),
      reasoningOutput: 0, // thinking is part of output_tokens and not told apart
      audioOutput: 0,
    };
  });
}

/**
 * What `message_start` said, corrected by `message_delta`: outputs are cumulative there, inputs replace only when given. The
 * output that the start names is that of its first moment: it is never the answer's.
 */
export function mergedUsage(start: JsonObject | null | undefined, delta: JsonObject | null | undefined): JsonObject {
  const merged: JsonObject = { ...start, output_tokens: 0 };
  for (const [name, value] of Object.entries(delta ?? {})) {
    if (value !== null && value !== undefined && (value !== 0 || name === 'output_tokens')) merged[name] = value;
  }
  return merged;
}
