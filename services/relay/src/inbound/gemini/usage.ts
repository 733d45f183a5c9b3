import { promptTokensOf, type Usage } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';

/** Our classes in Gemini's words: thoughts stand beside what the candidates say, what was cached is part of the prompt. */
export function toGeminiUsage(usage: Usage): JsonObject {
  const promptTokenCount = promptTokensOf(usage);
  const candidatesTokenCount = usage.textOutput + usage.audioOutput;
  return {
    promptTokenCount,
    candidatesTokenCount,
    ...(usage.reasoningOutput > 0 && { thoughtsTokenCount: usage.reasoningOutput }),
    ...(usage.cachedInput > 0 && { cachedContentTokenCount: usage.cachedInput }),
    totalTokenCount: promptTokenCount + candidatesTokenCount + usage.reasoningOutput,
  };
}
