import { type Effort, efforts, type ReasoningRules } from './schema.ts';

/**
 * The level that a model has for the one that is asked for: the same, else the next cheaper one, else its cheapest; never one that costs more than what
 * was asked for while a cheaper one exists. A word that is no level, and a model whose levels nobody knows, keep it as it is.
 */
export function nearestEffort(wanted: string, { efforts: has }: Pick<ReasoningRules, 'efforts'>): string {
  const place = efforts.indexOf(wanted as Effort);
  if (place < 0 || has === undefined || has.length === 0 || has.includes(wanted as Effort)) return wanted;
  return has.findLast((one) => efforts.indexOf(one) < place) ?? (has[0] as Effort);
}
