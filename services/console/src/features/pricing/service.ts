import type { OptionValues, PricingRow, PricingView } from '@tollgate/contracts';
import { factsOf, useCatalog } from '@tollgate/contracts/catalog';
import { type PriceOrigin, pricesFrom, pricesOf } from '@tollgate/pricing';
import type { Context } from '../../context.ts';
import { usableGroups } from './groups.ts';
import type { Offered } from './offered-models.ts';

export type PricingContext = Pick<Context, 'options' | 'offered'>;

/** What every offered model costs, before the ratio of a group. A model without a price is left out: it cannot be called. */
export async function pricing({ options, offered }: PricingContext, reader: Parameters<typeof usableGroups>[1]): Promise<PricingView> {
  const usable = usableGroups(options.values, reader);
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

interface Rows {
  rows: PricingRow[];
  /** When one of the prices ends, in ms since 1970. */
  untilMs: number;
}

const lastRows = new WeakMap<Offered, Rows & { options: OptionValues }>();

/** The rows of all visitors: they are made once a change of the channels, of the options, or of a price that depends on the time. */
function rowsOf(offered: Offered, options: OptionValues): PricingRow[] {
  const last = lastRows.get(offered);
  if (last?.options === options && Date.now() < last.untilMs) return last.rows;
  const made = pricingRows(offered, options);
  lastRows.set(offered, { options, ...made });
  return made.rows;
}

function pricingRows(offered: Offered, options: OptionValues): Rows {
  useCatalog(options.ModelCatalog);
  let untilMs = Number.POSITIVE_INFINITY;
  const prices = pricesFrom(options, factsOf);
  const atMs = Date.now();
  const rows: PricingRow[] = [];
  for (const [model, groups] of offered) {
    const found = pricesOf(model, { group: '', atMs }, prices);
    if (!found) continue;
    const { ordinary: price, origin } = found;
    untilMs = Math.min(untilMs, found.untilMs ?? untilMs);
    const fixed = price.kind === 'fixed';
    rows.push({
      model_name: model,
      quota_type: fixed ? 1 : 0,
      model_ratio: fixed ? 0 : price.modelRatio,
      model_price: price.modelPrice,
      completion_ratio: fixed ? 0 : price.completionRatio,
      price_origin: origin,
      ...catalogFacts(model, origin),
      owner_by: '',
      enable_groups: [...groups].sort(),
    });
  }
  const { compare } = new Intl.Collator();
  return { rows: rows.sort((a, b) => compare(a.model_name, b.model_name)), untilMs };
}

function catalogFacts(model: string, origin: PriceOrigin): Partial<PricingRow> {
  const facts = factsOf(model);
  if (facts === undefined) return {};
  const { context, output } = facts.limits;
  return {
    ...(origin === 'catalog' && { price_source: facts.priceSource?.source, price_read: facts.priceSource?.read }),
    ...(context !== undefined && { context_tokens: context }),
    ...(output !== undefined && { max_output_tokens: output }),
  };
}
