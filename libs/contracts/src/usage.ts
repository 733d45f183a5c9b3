import { z } from 'zod';

/** More tokens than this in one class cannot be true of one call; the operator may change it. */
export const defaultUsageBound = 4_000_000;

const count = z.int().nonnegative();

/**
 * What one call consumed, in tokens. The classes are disjoint: OpenAI's `prompt_tokens` is the sum of the inputs,
 * `completion_tokens` the sum of the outputs.
 */
export const usage = z.strictObject({
  textInput: count,
  cachedInput: count,
  cacheWrite5m: count,
  cacheWrite1h: count,
  audioInput: count,
  imageInput: count,
  textOutput: count,
  reasoningOutput: count,
  audioOutput: count,
});
export type Usage = z.infer<typeof usage>;

export const noUsage: Usage = {
  textInput: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  audioInput: 0,
  imageInput: 0,
  textOutput: 0,
  reasoningOutput: 0,
  audioOutput: 0,
};

/** All input classes together: OpenAI's `prompt_tokens`. */
export function promptTokensOf(usage: Usage): number {
  return usage.textInput + usage.cachedInput + usage.cacheWrite5m + usage.cacheWrite1h + usage.audioInput + usage.imageInput;
}

/** All output classes together: OpenAI's `completion_tokens`. */
export function completionTokensOf(usage: Usage): number {
  return usage.textOutput + usage.reasoningOutput + usage.audioOutput;
}
