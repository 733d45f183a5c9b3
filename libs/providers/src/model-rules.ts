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

/** How much a request wants thought: by `reasoning_effort`, or by OpenRouter's `reasoning`. Undefined: it does not say. */
export function wantedEffort({ reasoning_effort: effort, reasoning }: ChatRequest): string | undefined {
  if (typeof effort === 'string') return effort;
  if (!isObject(reasoning)) return undefined;
  if (reasoning.enabled === false) return 'none';
  return typeof reasoning.effort === 'string' ? reasoning.effort : undefined;
}

/** The level that goes out for a model of levels; undefined where nobody names one. */
export function levelFor(request: ChatRequest, model: string): string | undefined {
  const wanted = effortOfName(model) ?? wantedEffort(request);
  return wanted === undefined ? undefined : nearestEffort(wanted, rulesOf(model).reasoning ?? {});
}
