import type { OptionValues, PricingRow, PricingView } from '@tollgate/contracts';
import { priceOf, pricesFrom } from '@tollgate/pricing';
import { usableGroups } from './groups.ts';
import { offeredModels } from './offered-models.ts';

/** What every offered model costs, before the ratio of a group. A model without a price is left out: it cannot be called. */
export async function pricing(options: OptionValues, ownGroup: string | undefined): Promise<PricingView> {
  const usable = usableGroups(options, ownGroup);
  const prices = pricesFrom(options);
  const rows: PricingRow[] = [];
  for (const [model, groups] of await offeredModels()) {
    const price = priceOf(model, '', prices);
    if (!price) continue;
    const fixed = price.kind === 'fixed';
    rows.push({
      model_name: model,
      quota_type: fixed ? 1 : 0,
      model_ratio: fixed ? 0 : price.modelRatio,
      model_price: price.modelPrice,
      completion_ratio: fixed ? 0 : price.completionRatio,
      owner_by: '',
      enable_groups: [...groups].sort(),
    });
  }
  rows.sort((a, b) => a.model_name.localeCompare(b.model_name));
  const ratios = Object.entries(options.GroupRatio).filter(([group]) => Object.hasOwn(usable, group));
  return { data: rows, group_ratio: Object.fromEntries(ratios), usable_group: usable };
}
