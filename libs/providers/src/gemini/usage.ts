import type { JsonObject, UsageReading } from '../provider.ts';
import { type Counter, share, usageReading } from '../usage-reading.ts';

/**
 * Gemini's usageMetadata as disjoint classes. Units: tokens. Cached tokens are inside the prompt's count; thoughts are beside
 * the candidates'. In a stream it is cumulative: the last one counts. What the total says beyond the parts is output.
 */
export function readGeminiUsage(metadata: unknown): UsageReading | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const stated = metadata as JsonObject;
  return usageReading((count) => {
    const prompt = count('promptTokenCount', stated.promptTokenCount) + count('toolUsePromptTokenCount', stated.toolUsePromptTokenCount);
    const thoughts = count('thoughtsTokenCount', stated.thoughtsTokenCount);
    const untold = count('totalTokenCount', stated.totalTokenCount) - prompt - thoughts;
    const candidates = Math.max(count('candidatesTokenCount', stated.candidatesTokenCount), untold);
    const input = share(prompt);
    const cachedInput = input(count('cachedContentTokenCount', stated.cachedContentTokenCount));
    const audioInput = input(ofModality(stated.promptTokensDetails, 'AUDIO', count));
    const imageInput = input(ofModality(stated.promptTokensDetails, 'IMAGE', count));
    const output = share(candidates);
    const audioOutput = output(ofModality(stated.candidatesTokensDetails, 'AUDIO', count));
    return {
      textInput: input(prompt),
      cachedInput,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput,
      imageInput,
      textOutput: output(candidates),
      reasoningOutput: thoughts,
      audioOutput,
    };
  });
}

function ofModality(details: unknown, modality: string, count: Counter): number {
  const found = Array.isArray(details) ? details.find((detail: JsonObject | null) => detail?.modality === modality) : undefined;
  return count(`tokenCount of ${modality}`, found?.tokenCount);
}
