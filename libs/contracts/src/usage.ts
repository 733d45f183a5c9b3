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
export type TokenUsage = z.infer<typeof usage>;

/** What is measured otherwise, or was told apart later than the classes that every event has; where there is none of it, it is left out. */
export const furtherClasses = ['imageOutput', 'pictures', 'seconds', 'characters', 'toolCalls', 'searches'] as const;
export type FurtherClass = (typeof furtherClasses)[number];

/**
 * What one call consumed: tokens, and what is paid by the piece. `cachedAudio` and `cachedImage` are sound and pictures that were read from a cache,
 * beside `cachedInput`; events and log rows, whose classes can gain no words, have all of it in `cachedInput` and say beside it how much of it was sound.
 */
export type Usage = TokenUsage & Partial<Record<FurtherClass, number>> & { cachedAudio?: number; cachedImage?: number };
export type UsageClass = keyof Usage;

export const noUsage: TokenUsage = {
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

export const tokenClasses = Object.keys(noUsage) as (keyof TokenUsage)[];
export const usageClasses = [...tokenClasses, ...furtherClasses] as const;

/** All that was read from a cache, whatever it was. */
export function cachedTokensOf({ cachedInput, cachedAudio = 0, cachedImage = 0 }: Usage): number {
  return cachedInput + cachedAudio + cachedImage;
}

/** All input classes together: OpenAI's `prompt_tokens`. */
export function promptTokensOf(usage: Usage): number {
  return usage.textInput + cachedTokensOf(usage) + usage.cacheWrite5m + usage.cacheWrite1h + usage.audioInput + usage.imageInput;
}

/** All output classes together: OpenAI's `completion_tokens`. */
export function completionTokensOf(usage: Usage): number {
  return usage.textOutput + usage.reasoningOutput + usage.audioOutput + (usage.imageOutput ?? 0);
}
