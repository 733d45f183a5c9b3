import { cachedTokensOf, completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import type { JsonObject } from '@tollgate/providers';

/** Our classes in Gemini's words: thoughts stand beside what the candidates say, what was cached is part of the prompt. */
export function toGeminiUsage(usage: Usage): JsonObject {
  const promptTokenCount = promptTokensOf(usage);
  const cachedContentTokenCount = cachedTokensOf(usage);
  const candidatesTokenCount = completionTokensOf(usage) - usage.reasoningOutput;
  const heard = { AUDIO: usage.audioInput + (usage.cachedAudio ?? 0), IMAGE: usage.imageInput + (usage.cachedImage ?? 0) };
  return {
    promptTokenCount,
    candidatesTokenCount,
    ...(usage.reasoningOutput > 0 && { thoughtsTokenCount: usage.reasoningOutput }),
    ...(cachedContentTokenCount > 0 && { cachedContentTokenCount }),
    totalTokenCount: promptTokenCount + candidatesTokenCount + usage.reasoningOutput,
    ...byKind('promptTokensDetails', heard, promptTokenCount),
    ...byKind('candidatesTokensDetails', { AUDIO: usage.audioOutput, IMAGE: usage.imageOutput ?? 0 }, candidatesTokenCount),
  };
}

/** The same in the place of what a provider states otherwise. What its tools read stays beside the prompt's count, as it states it. */
export function correctedUsage(stated: unknown, charged: Usage): JsonObject {
  const before = typeof stated === 'object' && stated !== null ? (stated as JsonObject) : {};
  const usage = toGeminiUsage(charged);
  const { toolUsePromptTokenCount: read } = before;
  const all = usage.promptTokenCount as number;
  const toolUse = typeof read === 'number' && read >= 0 && read <= all ? read : 0;
  return { ...before, ...usage, promptTokenCount: all - toolUse, ...(read !== undefined && { toolUsePromptTokenCount: toolUse }) };
}

/** How many of all were no text, and how many that leaves to it; nothing where all were. */
function byKind(name: string, counts: Record<string, number>, all: number): JsonObject {
  const others = Object.entries(counts).filter(([, tokenCount]) => tokenCount > 0);
  if (others.length === 0) return {};
  const text = others.reduce((left, [, tokenCount]) => left - tokenCount, all);
  return { [name]: [['TEXT', text] as const, ...others].map(([modality, tokenCount]) => ({ modality, tokenCount })) };
}
