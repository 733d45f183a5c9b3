import { defaultUsageBound } from '@tollgate/contracts';
import { type Effort, efforts, factsOf, type ModelFacts, type ModelRules, nearestEffort } from '@tollgate/contracts/catalog';
import { isObject } from './objects.ts';
import type { ChatRequest } from './openai/types.ts';

const noRules: ModelRules = {};

/** The rules of a model, by its upstream name; none where nothing is known of it. */
export function rulesOf(model: string): ModelRules {
  return factsOf(model)?.rules ?? noRules;
}

/** The name without what operators append to say how much the model is to think: `o3-mini-high` is `o3-mini` at effort `high`. */
export function withoutEnding(model: string): string {
  const ending = factsOf(model)?.ending ?? '';
  return ending === '' ? model : model.slice(0, -ending.length);
}

/** The effort that is appended to a name; undefined for none. */
export function effortOfName(model: string): string | undefined {
  return effortIn(factsOf(model));
}

function effortIn(facts: ModelFacts | undefined): string | undefined {
  const level = facts?.ending.slice(1);
  return efforts.includes(level as Effort) ? level : undefined;
}

/**
 * How much a request wants thought: by `reasoning_effort`, or by OpenRouter's `reasoning`. Undefined: it does not say.
 * Source: https://openrouter.ai/docs/use-cases/reasoning-tokens, read 2026-11-26
 */
export function wantedEffort({ reasoning_effort: effort, reasoning }: ChatRequest): string | undefined {
  if (typeof effort === 'string') return effort;
  if (!isObject(reasoning)) return undefined;
  if (reasoning.enabled === false) return 'none';
  if (typeof reasoning.effort === 'string') return reasoning.effort;
  return effortOfBudget(reasoning.max_tokens) ?? (reasoning.enabled === true ? 'medium' : undefined);
}

/** The level that goes out for a model of levels; undefined where nobody names one. */
export function levelFor(request: ChatRequest, model: string): string | undefined {
  const wanted = effortOfName(model) ?? wantedEffort(request);
  return wanted === undefined ? undefined : nearestEffort(wanted, rulesOf(model).reasoning ?? {});
}

const mostOfLow = 2048;
const mostOfMedium = 8192;
const mostOfHigh = 32_768;

/** The effort that a budget of thought stands for, where a model takes no budgets; undefined for what is none. */
export function effortOfBudget(budget: unknown): string | undefined {
  if (!isTokenCount(budget)) return undefined;
  if (budget <= mostOfLow) return 'low';
  if (budget <= mostOfMedium) return 'medium';
  return budget <= mostOfHigh ? 'high' : 'xhigh';
}

/** Whether a budget is one that a model may have; others are left to the provider to refuse. */
export function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= defaultUsageBound;
}

/** The same of thinking in Anthropic's form, which some clients send to chat completions. */
export function effortOfThinking(thinking: unknown): string | undefined {
  if (!isObject(thinking)) return undefined;
  if (thinking.type === 'disabled') return 'none';
  return effortOfBudget(thinking.budget_tokens) ?? (thinking.type === 'enabled' ? 'medium' : undefined);
}
