import { nearestEffort } from '@tollgate/contracts/catalog';
import type { JsonEdits } from '../json-bytes.ts';
import { rulesOf } from '../model-rules.ts';
import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import { adaptiveThinking, budgetOfEffort, effortOfBudget } from './thinking.ts';

/**
 * What the rules of a model change in a Messages request of a caller's own: only what would be refused. Sampling that is not the usual one, a form of
 * thinking that the model does not know, and levels that it does not have.
 */
export function messagesEdits(own: JsonObject, model: string): Required<JsonEdits> | undefined {
  const { parameters, reasoning } = rulesOf(model);
  const set: JsonObject = {};
  const remove = (parameters?.refused ?? []).filter((name) => own[name] !== undefined && own[name] !== null && own[name] !== 1);
  const changed = [...remove];
  const { thinking } = own;
  const config = isObject(own.output_config) ? own.output_config : {};
  let effort = config.effort;
  if (isObject(thinking) && reasoning?.form === 'adaptive') {
    if (thinking.type === 'enabled') {
      set.thinking = { ...adaptiveThinking, ...(thinking.display !== undefined && { display: thinking.display }) };
      effort ??= effortOfBudget(thinking.budget_tokens);
      changed.push('thinking');
    } else if (thinking.type === 'disabled' && reasoning.off === false) {
      remove.push('thinking');
      changed.push('thinking');
    }
  } else if (isObject(thinking) && thinking.type === 'adaptive' && reasoning?.form === 'budget' && reasoning.efforts === undefined) {
    const budget = budgetOfEffort(effort, Number(own.max_tokens));
    if (budget === undefined) remove.push('thinking');
    else set.thinking = { type: 'enabled', budget_tokens: budget };
    changed.push('thinking');
  }
  const level = typeof effort === 'string' && reasoning !== undefined ? levelOf(effort, reasoning.efforts) : effort;
  if (level !== config.effort) {
    const { effort: _effort, ...rest } = config;
    const next = level === undefined ? rest : { ...rest, effort: level };
    if (Object.keys(next).length > 0) set.output_config = next;
    else remove.push('output_config');
    if (effort === config.effort) changed.push('output_config.effort');
  }
  return changed.length === 0 ? undefined : { set, remove, changed, isUnique: false };
}

/** A model without levels takes none. */
function levelOf(effort: string, efforts: Parameters<typeof nearestEffort>[1]['efforts']): string | undefined {
  return efforts === undefined ? undefined : nearestEffort(effort, { efforts });
}
