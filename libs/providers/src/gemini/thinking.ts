import type { JsonObject } from '../provider.ts';

const budgets = new Map<string | null | undefined, number>([
  ['none', 0],
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24576],
  ['xhigh', 24576],
  ['max', 24576],
]);
const mostOfLow = 1024; // Gemini 3 has two words for all of them
const leastOfPro = 128; // 2.5 Pro cannot stop thinking
const leastOfLite = 512;

const thoughtShare = 0.8;

/**
 * How much a model may think, in the terms of its family; undefined for a model that does not think, or no wish. Thoughts are
 * part of the output limit: `cap`, what the balance carries, leaves a part of itself to the answer.
 */
export function thinkingConfig(model: string, effort: string | null | undefined, cap: number | undefined): JsonObject | undefined {
  const wanted = budgets.get(effort);
  const most = cap === undefined ? Number.POSITIVE_INFINITY : Math.floor(cap * thoughtShare);
  if (wanted === undefined) return cap === undefined ? undefined : cappedThinking(model, most);
  const budget = Math.min(wanted, most);
  if (/^gemini-[3-9]/.test(model)) return { includeThoughts: true, thinkingLevel: wanted > mostOfLow ? 'high' : 'low' };
  if (!model.startsWith('gemini-2.5')) return undefined;
  const thinkingBudget = withinRange(model, budget);
  return thinkingBudget === 0 ? { thinkingBudget } : { includeThoughts: true, thinkingBudget };
}

/** Nobody said how much it may think, so it would think as it likes: as much as its cap leaves room for. */
function cappedThinking(model: string, most: number): JsonObject | undefined {
  return /^gemini-2\.5-(?:pro|flash(?!-lite|-image))/.test(model)
    ? { thinkingBudget: withinRange(model, Math.min(most, mostOf(model))) }
    : undefined;
}

/** A budget outside of what a model takes is refused. Source: https://ai.google.dev/gemini-api/docs/thinking */
function withinRange(model: string, budget: number): number {
  if (model.includes('pro')) return Math.max(leastOfPro, budget);
  return model.includes('lite') && budget < leastOfLite ? 0 : budget;
}

function mostOf(model: string): number {
  return model.includes('pro') ? 32_768 : 24_576;
}
