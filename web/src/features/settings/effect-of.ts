import type { UsageDataRow } from '@tollgate/contracts/api/usage-data';
import { effectiveCompletion, type Prices } from './price-rows.ts';

export interface ModelEffect {
  model: string;
  /** What its calls did cost, and what they would have. */
  quota: number;
  quotaAfter: number;
}

interface TwoPrices {
  before: Prices;
  after: Prices;
  quotaPerUnit: number;
}

/**
 * What usage would have cost at other prices. A model's whole cost is scaled by what its tokens and calls cost at either price, so that
 * groups, caches and the like are kept in proportion; where the old price is not in the lists, its tokens are priced anew.
 */
export function effectOf(usage: readonly UsageDataRow[], { before, after, quotaPerUnit }: TwoPrices) {
  const models = new Map<string, UsageDataRow[]>();
  for (const row of usage) models.set(row.key, [...(models.get(row.key) ?? []), row]);
  const changes: ModelEffect[] = [];
  let total = 0;
  let totalAfter = 0;
  for (const [model, rows] of models) {
    const load = sumOf(rows);
    const was = costOf(load, model, before, quotaPerUnit);
    const willBe = costOf(load, model, after, quotaPerUnit);
    const isChanged = willBe !== undefined && willBe !== was;
    const quotaAfter = isChanged ? Math.round(was ? (load.quota * willBe) / was : willBe) : load.quota;
    total += load.quota;
    totalAfter += quotaAfter;
    if (isChanged) changes.push({ model, quota: load.quota, quotaAfter });
  }
  changes.sort((one, other) => Math.abs(other.quotaAfter - other.quota) - Math.abs(one.quotaAfter - one.quota));
  return { changes, total, totalAfter };
}

interface Load {
  quota: number;
  calls: number;
  input: number;
  output: number;
}

function sumOf(rows: UsageDataRow[]): Load {
  const load: Load = { quota: 0, calls: 0, input: 0, output: 0 };
  for (const row of rows) {
    load.quota += row.quota;
    load.calls += row.count;
    load.input += row.prompt_tokens;
    load.output += row.completion_tokens;
  }
  return load;
}

/** In quota, before the ratio of a group; undefined where the lists have no price of this name. */
function costOf({ calls, input, output }: Load, model: string, prices: Prices, quotaPerUnit: number): number | undefined {
  const { fixed, ratio } = prices;
  const perCall = own(fixed, model);
  if (perCall !== undefined) return calls * perCall * quotaPerUnit;
  const weight = own(ratio, model);
  if (weight === undefined) return undefined;
  return weight * (input + output * effectiveCompletion(prices, model));
}

function own(list: Record<string, number>, model: string): number | undefined {
  return Object.hasOwn(list, model) ? list[model] : undefined;
}
