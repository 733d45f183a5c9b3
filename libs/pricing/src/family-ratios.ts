import { defaultPrices, namedEntry } from '@tollgate/contracts';
import { matches } from './name-rule.ts';

/**
 * Price of an output token relative to an input token. A name with a slash uses its explicit entry. Otherwise: the first built-in rule of a
 * known family, then the explicit entry, then 1.
 */
export function completionRatioOf(requestedModel: string, explicit: Readonly<Record<string, number>>): number {
  let model = requestedModel;
  if (model.includes('/') && Object.hasOwn(explicit, model)) return explicit[model] ?? 1;
  for (const rule of defaultPrices.completionRatioRules) {
    if (!matches(model, rule.when)) continue;
    if (rule.rename === undefined) return rule.fixed ? (rule.ratio ?? 1) : (namedEntry(explicit, model) ?? rule.ratio ?? 1);
    model = rule.rename;
  }
  return namedEntry(explicit, model) ?? 1;
}

/** Price of an input audio token relative to a text token, by the built-in rules. */
export function audioRatioOf(model: string): number {
  return defaultPrices.audioRatioRules.find((rule) => matches(model, rule.when))?.ratio ?? 1;
}
