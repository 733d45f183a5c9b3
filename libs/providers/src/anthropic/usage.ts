import type { JsonObject, UsageReading } from '../provider.ts';
import { usageReading } from '../usage-reading.ts';

const mostIterations = 1_000;

/**
 * Anthropic's usage as disjoint classes. Units: tokens. `input_tokens` leaves cache reads and writes out; OpenAI's
 * `prompt_tokens` has them in, so the sum of our input classes is larger than `input_tokens`.
 * Source: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
 */
export function readAnthropicUsage(usage: JsonObject | null | undefined): UsageReading | undefined {
  if (!usage) return undefined;
  return usageReading((count) => {
    const read = { textInput: 0, cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0, textOutput: 0 };
    for (const part of [usage, ...besides(usage.iterations)]) {
      const written = count('cache_creation_input_tokens', part.cache_creation_input_tokens);
      const byLife = (part.cache_creation ?? {}) as JsonObject;
      const cacheWrite1h = Math.min(written, count('ephemeral_1h_input_tokens', byLife.ephemeral_1h_input_tokens));
      read.textInput += count('input_tokens', part.input_tokens);
      read.cachedInput += count('cache_read_input_tokens', part.cache_read_input_tokens);
      read.cacheWrite5m += written - cacheWrite1h;
      read.cacheWrite1h += cacheWrite1h;
      read.textOutput += count('output_tokens', part.output_tokens);
    }
    // Thinking is part of output_tokens and not told apart.
    return { ...read, audioInput: 0, imageInput: 0, reasoningOutput: 0, audioOutput: 0 };
  });
}

/** What a call used beside its totals: they leave out a conversation that was made shorter on the way. */
function besides(iterations: unknown): JsonObject[] {
  if (!Array.isArray(iterations)) return [];
  return (iterations as (JsonObject | null)[])
    .filter((iteration): iteration is JsonObject => iteration?.type === 'compaction')
    .slice(0, mostIterations);
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
