import { audioRatioRules, completionRatioRules, type NameRule } from '@tollgate/contracts/name-rules';
import { namedEntry } from '@tollgate/contracts/named-entry';

/**
 * Price of an output token relative to an input token. A name with a slash uses its explicit entry. Otherwise: the first built-in rule of a
 * known family, then the explicit entry, then 1.
 */
export function completionRatioOf(requestedModel: string, explicit: Readonly<Record<string, number>>): number {
  let model = requestedModel;
  if (model.includes('/') && Object.hasOwn(explicit, model)) return explicit[model] ?? 1;
  for (const rule of completionRatioRules) {
    if (!matches(model, rule.when)) continue;
    if (rule.rename === undefined) return rule.fixed ? (rule.ratio ?? 1) : (namedEntry(explicit, model) ?? rule.ratio ?? 1);
    model = rule.rename;
  }
  return namedEntry(explicit, model) ?? 1;
}

/** Price of an input audio token relative to a text token, by the built-in rules. */
export function audioRatioOf(model: string): number {
  return audioRatioRules.find((rule) => matches(model, rule.when))?.ratio ?? 1;
}

/** Whether all conditions of a model name rule hold. `contains` requires all its parts, the other conditions any. */
function matches(name: string, when: NameRule['when']): boolean {
  for (const [condition, wanted] of Object.entries(when)) {
    const values = Array.isArray(wanted) ? (wanted as string[]) : [String(wanted)];
    if (!holds(condition, values, name)) return false;
  }
  return true;
}

function holds(condition: string, values: string[], name: string): boolean {
  switch (condition) {
    case 'exact':
      return values.includes(name);
    case 'exact_ignore_case':
      return values.some((value) => value.toLowerCase() === name.toLowerCase());
    case 'prefix':
      return values.some((value) => name.startsWith(value));
    case 'suffix':
      return values.some((value) => name.endsWith(value));
    case 'not_suffix':
      return !values.some((value) => name.endsWith(value));
    case 'contains':
      return values.every((value) => name.includes(value));
    default:
      throw new Error(`unknown condition in a model name rule: ${condition}`);
  }
}
