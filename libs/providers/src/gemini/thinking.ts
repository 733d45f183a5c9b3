import { nearestEffort, type ReasoningRules } from '@tollgate/contracts/catalog';
import { rulesOf } from '../model-rules.ts';
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

const thoughtShare = 0.8;

/**
 * How much a model may think, in the terms of its family; undefined for a model that does not think, or no wish. Thoughts are
 * part of the output limit: `cap`, what the balance carries, leaves a part of itself to the answer.
 */
export function thinkingConfig(model: string, effort: string | null | undefined, cap: number | undefined): JsonObject | undefined {
  const { reasoning } = rulesOf(model);
  const wanted = budgets.get(effort);
  if (reasoning === undefined) return undefined;
  if (reasoning.form === 'level') {
    return wanted === undefined ? undefined : { includeThoughts: true, thinkingLevel: nearestEffort(String(effort), reasoning) };
  }
  if (reasoning.form !== 'budget') return undefined;
  const most = cap === undefined ? Number.POSITIVE_INFINITY : Math.floor(cap * thoughtShare);
  if (wanted === undefined) return cap === undefined ? undefined : cappedThinking(reasoning, most);
  const thinkingBudget = withinRange(reasoning, Math.min(wanted, most));
  return thinkingBudget === 0 ? { thinkingBudget } : { includeThoughts: true, thinkingBudget };
}

/** Nobody said how much it may think, so it would think as it likes: as much as its cap leaves room for. */
function cappedThinking(reasoning: ReasoningRules, most: number): JsonObject | undefined {
  return reasoning.usual === 'none' ? undefined : { thinkingBudget: withinRange(reasoning, most) };
}

/** A budget outside of what a model takes is refused. Source: https://ai.google.dev/gemini-api/docs/thinking */
function withinRange({ budget: { least = 0, most = Number.POSITIVE_INFINITY } = {}, off }: ReasoningRules, budget: number): number {
  if (budget < least) return off === true ? 0 : least;
  return Math.min(budget, most);
}
