import type { OptionValues, PricingRow, PricingView } from '@tollgate/contracts';
import { priceOf, pricesFrom } from '@tollgate/pricing';
import type { Context } from '../../context.ts';
import { usableGroups } from './groups.ts';
import type { Offered } from './offered-models.ts';

export type PricingContext = Pick<Context, 'options' | 'offered'>;

/** What every offered model costs, before the ratio of a group. A model without a price is left out: it cannot be called. */
export async function pricing({ options, offered }: PricingContext, ownGroup: string | undefined): Promise<PricingView> {
  const usable = usableGroups(options.values, ownGroup);
  const ratios = Object.entries(options.values.GroupRatio).filter(([group]) => Object.hasOwn(usable, group));
  return { data: rowsOf(await offered.read(), options.values), group_ratio: Object.fromEntries(ratios), usable_group: usable };
}

/** The models that somebody who may use these groups can call: offered there, and with a price unless none is needed. */
export async function modelsIn(groups: string[], { options, offered }: PricingContext): Promise<string[]> {
  const usable = new Set(groups);
  return rowsOf(await offered.read(), options.values)
    .filter(({ enable_groups }) => enable_groups.some((group) => usable.has(group)))
    .map(({ model_name }) => model_name)
    .sort();
}

const lastRows = new WeakMap<Offered, { options: OptionValues; rows: PricingRow[] }>();

/** The rows of all visitors: they are made once a change of the channels or of the options. */
function rowsOf(offered: Offered, options: OptionValues): PricingRow[] {
  const last = lastRows.get(offered);
  if (last?.options === options) return last.rows;
  const rows = pricingRows(offered, options);
  lastRows.set(offered, { options, rows });
  return rows;
}

function pricingRows(offered: Offered, options: OptionValues): PricingRow[] {
  const prices = pricesFrom(options);
  const rows: PricingRow[] = [];
  for (const [model, groups] of offered) {
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
  const { compare } = new Intl.Collator();
  return rows.sort((a, b) => compare(a.model_name, b.model_name));
}
