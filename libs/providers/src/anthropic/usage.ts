import { objectOf } from '../objects.ts';
import type { JsonObject, UsageReading } from '../provider.ts';
import { servedBy, usageReading } from '../usage-reading.ts';

const mostIterations = 1_000;

/**
 * Anthropic's usage as disjoint classes. Units: tokens. `input_tokens` leaves cache reads and writes out; OpenAI's
 * `prompt_tokens` has them in, so the sum of our input classes is larger than `input_tokens`.
 * Sources: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching, https://platform.claude.com/docs/en/build-with-claude/fast-mode
 */
export function readAnthropicUsage(usage: JsonObject | null | undefined): UsageReading | undefined {
  if (!usage) return undefined;
  const reading = usageReading((count) => {
    const read = { textInput: 0, cachedInput: 0, cacheWrite5m: 0, cacheWrite1h: 0, textOutput: 0, reasoningOutput: 0 };
    for (const part of [usage, ...besides(usage.iterations)]) {
      const stated = part.cache_creation_input_tokens ?? undefined;
      const byLife = objectOf(part.cache_creation);
      const hour = count('ephemeral_1h_input_tokens', byLife.ephemeral_1h_input_tokens);
      // Where the total is missing, the parts are it.
      const written =
        stated === undefined
          ? hour + count('ephemeral_5m_input_tokens', byLife.ephemeral_5m_input_tokens)
          : count('cache_creation_input_tokens', stated);
      const cacheWrite1h = Math.min(written, hour);
      read.textInput += count('input_tokens', part.input_tokens);
      read.cachedInput += count('cache_read_input_tokens', part.cache_read_input_tokens);
      read.cacheWrite5m += written - cacheWrite1h;
      read.cacheWrite1h += cacheWrite1h;
      const output = count('output_tokens', part.output_tokens);
      const details = objectOf(part.output_tokens_details);
      const thinking = Math.min(output, count('thinking_tokens', details.thinking_tokens));
      read.textOutput += output - thinking;
      read.reasoningOutput += thinking;
    }
    const ran = objectOf(usage.server_tool_use);
    const searches = count('web_search_requests', ran.web_search_requests);
    const toolCalls = count('code_execution_requests', ran.code_execution_requests);
    const uses = { ...(searches > 0 && { searches }), ...(toolCalls > 0 && { toolCalls }) };
    // Thinking is part of output_tokens; not every answer tells it apart.
    return { ...read, audioInput: 0, imageInput: 0, audioOutput: 0, ...uses };
  });
  // Its `service_tier` says whose capacity was used, which changes no price of a token.
  return servedBy(reading, { speed: usage.speed, inference_geo: usage.inference_geo });
}

/** Kinds of iterations that the totals leave out. Source: https://platform.claude.com/docs/en/build-with-claude/compaction */
const besideTotals = new Set<unknown>(['compaction']);

/** What a call used beside its totals. */
function besides(iterations: unknown): JsonObject[] {
  if (!Array.isArray(iterations)) return [];
  return (iterations as (JsonObject | null)[])
    .filter((iteration): iteration is JsonObject => besideTotals.has(iteration?.type))
    .slice(0, mostIterations);
}

/**
 * The usage of `message_start`, corrected by that of `message_delta`: outputs are cumulative there, inputs replace only when given. The
 * output of the start is that of its first moment. A zero input in the delta replaces nothing, since gateways send it for "not known";
 * beside `iterations` it does, for the start counts the first iteration alone.
 */
export function mergedUsage(start: JsonObject | null | undefined, delta: JsonObject | null | undefined): JsonObject {
  const merged: JsonObject = { ...start, output_tokens: 0 };
  const areZerosMeant = Array.isArray(delta?.iterations);
  for (const [name, value] of Object.entries(delta ?? {})) {
    if (value === null || value === undefined) continue;
    if (value !== 0 || areZerosMeant || name === 'output_tokens') merged[name] = value;
  }
  return merged;
}
