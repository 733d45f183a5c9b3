import { cachedTokensOf, completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';

/** Our classes in Gemini's words: thoughts stand beside what the candidates say, what was cached is part of the prompt. */
export function toGeminiUsage(usage: Usage): JsonObject {
  const promptTokenCount = promptTokensOf(usage);
  const cachedContentTokenCount = cachedTokensOf(usage);
  const candidatesTokenCount = completionTokensOf(usage) - usage.reasoningOutput;
  return {
    promptTokenCount,
    candidatesTokenCount,
    ...(usage.reasoningOutput > 0 && { thoughtsTokenCount: usage.reasoningOutput }),
    ...(cachedContentTokenCount > 0 && { cachedContentTokenCount }),
    totalTokenCount: promptTokenCount + candidatesTokenCount + usage.reasoningOutput,
  };
}
