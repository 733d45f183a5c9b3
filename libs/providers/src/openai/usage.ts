import type { Usage } from '@tollgate/contracts';
import { cachedTokensOf, completionTokensOf, promptTokensOf } from '@tollgate/contracts';
import { objectOf } from '../objects.ts';
import type { JsonObject, UsageReading } from '../provider.ts';
import { servedBy, share, usageReading } from '../usage-reading.ts';
import { searchesIn } from '../web-search.ts';
import { cachedTokensIn, cacheWritesIn, searchCountIn, usageIn } from './cached-tokens.ts';
import type { OpenAiUsage } from './types.ts';

/**
 * OpenAI's usage object as disjoint classes. Its `prompt_tokens` and `completion_tokens` are totals; the details are parts of
 * them and overlap at times (cached audio), so each part takes at most what the total still has: the sum is never more than
 * the total that the provider states. A `total_tokens` beyond both is output that was not told apart (xAI's reasoning). Cached tokens are read
 * wherever a provider states them (`cached-tokens.ts`).
 */
export function readOpenAiUsage(value: unknown): UsageReading | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const stated = value as JsonObject;
  return usageReading((count) => {
    const promptDetails = objectOf(stated.prompt_tokens_details ?? stated.input_tokens_details);
    const completionDetails = objectOf(stated.completion_tokens_details ?? stated.output_tokens_details);
    const total = count('total_tokens', stated.total_tokens);
    const completionStated = count('completion_tokens', stated.completion_tokens ?? stated.output_tokens);
    const promptStated = stated.prompt_tokens ?? stated.input_tokens ?? undefined;
    const prompt = promptStated === undefined ? Math.max(0, total - completionStated) : count('prompt_tokens', promptStated);
    const completion = Math.max(completionStated, total - prompt);

    const searches = searchCountIn(stated, count);
    const input = share(prompt);
    const cachedOf = objectOf(promptDetails.cached_tokens_details);
    const cached = input(cachedTokensIn(stated, count));
    const cachedAudio = Math.min(cached, count('audio_tokens of the cache', cachedOf.audio_tokens));
    const cachedImage = Math.min(cached - cachedAudio, count('image_tokens of the cache', cachedOf.image_tokens));
    const written = input(cacheWritesIn(stated, count));
    const byLife = objectOf(promptDetails.cache_write_tokens_details);
    const cacheWrite1h = Math.min(written, count('ttl_12h_tokens', byLife.ttl_12h_tokens)); // the longer of two lives
    const audioInput = input(count('audio_tokens', beside(promptDetails.audio_tokens, cachedOf.audio_tokens)));
    const imageInput = input(count('image_tokens', beside(promptDetails.image_tokens, cachedOf.image_tokens)));
    const output = share(completion);
    const reasoningOutput = output(count('reasoning_tokens', completionDetails.reasoning_tokens));
    const audioOutput = output(count('audio_tokens', completionDetails.audio_tokens));
    const imageOutput = output(count('image_tokens', completionDetails.image_tokens));
    return {
      textInput: input(prompt),
      cachedInput: cached - cachedAudio - cachedImage,
      ...(cachedAudio > 0 && { cachedAudio }),
      ...(cachedImage > 0 && { cachedImage }),
      cacheWrite5m: written - cacheWrite1h,
      cacheWrite1h,
      audioInput,
      imageInput,
      textOutput: output(completion),
      reasoningOutput,
      audioOutput,
      ...(imageOutput > 0 && { imageOutput }),
      ...(searches > 0 && { searches }),
    };
  });
}

/** Of a part, what was not read from the cache, where that is told. What is no number is told as it is. */
function beside(part: unknown, cached: unknown): unknown {
  return typeof part === 'number' && typeof cached === 'number' ? part - cached : part;
}

/** Our classes in OpenAI's words, for callers of translated answers. */
export function toOpenAiUsage(usage: Usage): OpenAiUsage {
  const promptTokens = promptTokensOf(usage);
  const completionTokens = completionTokensOf(usage);
  const cacheWrites = usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokensOf(usage),
      audio_tokens: usage.audioInput,
      ...(usage.imageInput > 0 && { image_tokens: usage.imageInput }),
      // OpenAI's own word, and that of gateways which told it before.
      ...(cacheWrites > 0 && { cache_write_tokens: cacheWrites, cached_creation_tokens: cacheWrites }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningOutput,
      audio_tokens: usage.audioOutput,
      ...(usage.imageOutput && { image_tokens: usage.imageOutput }),
    },
  };
}

/**
 * The usage in an OpenAI answer or chunk, wherever a provider puts it (`cached-tokens.ts`), and the tier that served it, which may be another
 * than the requested one. Source: https://developers.openai.com/api/docs/guides/fast-mode
 */
export function openAiUsageIn(answer: JsonObject): UsageReading | undefined {
  return servedBy(readOpenAiUsage(usageIn(answer)), { service_tier: answer.service_tier });
}

/** The same in a response, whose searches stand among its items where its usage does not state them. */
export function responsesUsageIn(answer: JsonObject): UsageReading | undefined {
  const reading = openAiUsageIn(answer);
  const searches = searchesIn(answer.output);
  if (!reading?.trusted || reading.usage.searches !== undefined || searches === 0) return reading;
  return { ...reading, usage: { ...reading.usage, searches } };
}
