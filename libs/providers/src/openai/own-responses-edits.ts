import { type ModelRules, nearestEffort } from '@tollgate/contracts/catalog';
import { objectOf } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import type { Edits } from './model-edits.ts';

/** Fields of a Responses request that have the names of chat completions, by which the rules of models go. */
const sampling = new Set(['temperature', 'top_p', 'top_logprobs']);

/**
 * What a model refuses of a Responses request that travels as it came: sampling while it thinks, and levels of thought that it has not.
 * `byName`: the level that the model's name asks for, which is set elsewhere.
 */
export function refusedEdits(own: JsonObject, { parameters, reasoning = {} }: ModelRules, byName: string | undefined): Edits {
  const { effort: asked, ...others } = objectOf(own.reasoning);
  const refused = parameters?.refused ?? [];
  const edits: Edits = { set: {}, remove: [], changed: [] };
  let effort: unknown = byName ?? asked;
  if (typeof asked === 'string' && byName === undefined) {
    effort = refused.includes('reasoning_effort') ? undefined : nearestEffort(asked, reasoning);
    if (effort !== asked) {
      if (effort !== undefined || Object.keys(others).length > 0)
        edits.set.reasoning = { ...others, ...(effort !== undefined && { effort }) };
      else edits.remove.push('reasoning');
      edits.changed.push('reasoning.effort');
    }
  }
  const isThinking = (effort ?? reasoning.usual) !== 'none';
  for (const name of new Set([...refused, ...(isThinking ? (parameters?.refusedWhenThinking ?? []) : [])])) {
    if (!sampling.has(name) || own[name] === undefined || own[name] === null) continue;
    edits.remove.push(name);
    edits.changed.push(name);
  }
  return edits;
}
