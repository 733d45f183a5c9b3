import type { JsonObject } from '../provider.ts';

const budgets = new Map<string | null | undefined, number>([
  ['none', 0],
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24576],
]);
const leastOfPro = 128; // 2.5 Pro cannot stop thinking

/** How much a model may think, in the terms of its family; undefined for a model that does not think, or no wish. */
export function thinkingConfig(model: string, effort: string | null | undefined): JsonObject | undefined {
  const budget = budgets.get(effort);
  if (budget === undefined) return undefined;
  if (/^gemini-[3-9]/.test(model))
    return { includeThoughts: true, thinkingLevel: effort === 'medium' || effort === 'high' ? 'high' : 'low' };
  if (!model.startsWith('gemini-2.5')) return undefined;
  const thinkingBudget = model.includes('pro') ? Math.max(leastOfPro, budget) : budget;
  return thinkingBudget === 0 ? { thinkingBudget } : { includeThoughts: true, thinkingBudget };
}
