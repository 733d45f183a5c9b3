import { objectOf, objectsIn } from '../objects.ts';
import type { JsonObject, UsageReading } from '../provider.ts';
import { type Counter, servedBy, share, usageReading } from '../usage-reading.ts';
import { servedTier } from './tiers.ts';

/**
 * Gemini's usageMetadata as disjoint classes. Units: tokens. Cached tokens are inside the prompt's count, and inside those of its kinds; a cached
 * picture costs what cached text does. Embeddings call the details of the prompt `promptTokenDetails`. Thoughts are beside the candidates'. In a stream it is cumulative: the last one counts. What the total says beyond the parts is output; a total that is their
 * sum, with no candidates stated, has the call of a tool among the thoughts.
 */
export function readGeminiUsage(metadata: unknown, searches = 0): UsageReading | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const stated = metadata as JsonObject;
  let isSummed = false;
  const reading = usageReading((count) => {
    const prompt = count('promptTokenCount', stated.promptTokenCount) + count('toolUsePromptTokenCount', stated.toolUsePromptTokenCount);
    const thoughts = count('thoughtsTokenCount', stated.thoughtsTokenCount);
    const total = count('totalTokenCount', stated.totalTokenCount);
    const untold = total - prompt - thoughts;
    isSummed = total > 0 && untold === 0 && stated.candidatesTokenCount === undefined;
    const candidates = Math.max(count('candidatesTokenCount', stated.candidatesTokenCount), untold);
    const input = share(prompt);
    const cached = input(count('cachedContentTokenCount', stated.cachedContentTokenCount));
    const cachedOf = (modality: string) => ofModality(stated.cacheTokensDetails, modality, count);
    const cachedAudio = Math.min(cached, cachedOf('AUDIO'));
    const uncached = (modality: string) =>
      ofModality(stated.toolUsePromptTokensDetails, modality, count) +
      Math.max(0, ofModality(stated.promptTokensDetails ?? stated.promptTokenDetails, modality, count) - cachedOf(modality));
    const audioInput = input(uncached('AUDIO'));
    const imageInput = input(uncached('IMAGE'));
    const output = share(candidates);
    const audioOutput = output(ofModality(stated.candidatesTokensDetails, 'AUDIO', count));
    const imageOutput = output(ofModality(stated.candidatesTokensDetails, 'IMAGE', count));
    return {
      textInput: input(prompt),
      cachedInput: cached - cachedAudio,
      ...(cachedAudio > 0 && { cachedAudio }),
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput,
      imageInput,
      textOutput: output(candidates),
      reasoningOutput: thoughts,
      audioOutput,
      ...(imageOutput > 0 && { imageOutput }),
      ...(searches > 0 && { searches }),
    };
  });
  const whole: UsageReading | undefined = isSummed && reading?.trusted ? { ...reading, isSummed } : reading;
  return servedBy(whole, { service_tier: servedTier(stated) });
}

/** How many queries an answer searched the web for. Source: https://ai.google.dev/api/generate-content#GroundingMetadata */
export function searchesOf({ candidates }: JsonObject): number {
  return objectsIn(candidates).reduce((sum, { groundingMetadata: found }) => sum + queriesIn(found), 0);
}

function queriesIn(found: unknown): number {
  const { webSearchQueries: queries, groundingChunks: pages } = objectOf(found);
  const asked = Array.isArray(queries) ? queries.filter((query) => typeof query === 'string' && query !== '').length : 0;
  return asked > 0 || !Array.isArray(pages) || pages.length === 0 ? asked : 1;
}

function ofModality(details: unknown, modality: string, count: Counter): number {
  const found = Array.isArray(details) ? details.find((detail: JsonObject | null) => detail?.modality === modality) : undefined;
  return count(`tokenCount of ${modality}`, found?.tokenCount);
}
