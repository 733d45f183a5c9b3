import { defaultPrices, type OptionValues, type PriceUsed } from '@tollgate/contracts';
import { matches } from './name-rule.ts';

/** The operator's price lists. Ratio 1 is 2 US dollars a million tokens; model prices are US dollars a call. */
export interface PriceTables {
  modelRatio: Readonly<Record<string, number>>;
  modelPrice: Readonly<Record<string, number>>;
  completionRatio: Readonly<Record<string, number>>;
  cacheRatio: Readonly<Record<string, number>>;
  createCacheRatio: Readonly<Record<string, number>>;
  groupRatio: Readonly<Record<string, number>>;
  quotaPerUnit: number;
  /** What unpriced models cost; undefined: they are refused. */
  unpricedModelRatio: number | undefined;
}

export function pricesFrom(options: OptionValues): PriceTables {
  return {
    modelRatio: options.ModelRatio,
    modelPrice: options.ModelPrice,
    completionRatio: options.CompletionRatio,
    cacheRatio: options.CacheRatio,
    createCacheRatio: options.CreateCacheRatio,
    groupRatio: options.GroupRatio,
    quotaPerUnit: options.QuotaPerUnit,
    unpricedModelRatio: options.SelfUseModeEnabled ? options.UnpricedModelRatio : undefined,
  };
}

/** The price of one call in a group; undefined when the model has none. A group without a ratio counts 1. */
export function priceOf(requestedModel: string, group: string, tables: PriceTables): PriceUsed | undefined {
  const model = renamed(requestedModel);
  const fixed = entryOf(tables.modelPrice, model);
  const modelRatio = entryOf(tables.modelRatio, model) ?? tables.unpricedModelRatio;
  if (fixed === undefined && modelRatio === undefined) return undefined;
  const cacheWrite = entryOf(tables.createCacheRatio, model) ?? (model.includes('claude') ? 1.25 : 1);
  return {
    kind: fixed === undefined ? 'ratio' : 'fixed',
    modelRatio: fixed === undefined ? (modelRatio ?? 0) : 0,
    modelPrice: fixed ?? 0,
    completionRatio: completionRatioOf(model, tables.completionRatio),
    cacheRatio: entryOf(tables.cacheRatio, model) ?? 1,
    cacheWrite5mRatio: cacheWrite,
    // Providers that tell the two apart ask 2 x the input price for an hour, where five minutes cost 1.25 x.
    cacheWrite1hRatio: cacheWrite * 1.6,
    audioRatio: audioRatioOf(model),
    audioCompletionRatio: defaultPrices.audioCompletionRatio,
    groupRatio: tables.groupRatio[group] ?? 1,
    quotaPerUnit: tables.quotaPerUnit,
  };
}

/**
 * How much dearer an output token is than an input token. A name with a slash takes its explicit entry; else the first
 * built-in rule of a known family decides; else the explicit entry; else 1.
 */
export function completionRatioOf(requestedModel: string, explicit: Readonly<Record<string, number>>): number {
  let model = requestedModel;
  if (model.includes('/') && Object.hasOwn(explicit, model)) return explicit[model] ?? 1;
  for (const rule of defaultPrices.completionRatioRules) {
    if (!matches(model, rule.when)) continue;
    if (rule.rename === undefined) return rule.fixed ? (rule.ratio ?? 1) : (entryOf(explicit, model) ?? rule.ratio ?? 1);
    model = rule.rename;
  }
  return entryOf(explicit, model) ?? 1;
}

function audioRatioOf(model: string): number {
  return defaultPrices.audioRatioRules.find((rule) => matches(model, rule.when))?.ratio ?? 1;
}

/** The name that a model's price stands under: all custom assistants of one kind share an entry. */
function renamed(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/** The entry of a name, else the one of the longest `prefix*` that fits it. */
function entryOf(table: Readonly<Record<string, number>>, model: string): number | undefined {
  if (Object.hasOwn(table, model)) return table[model];
  let best: string | undefined;
  for (const name of wildcardsOf(table)) {
    if (model.startsWith(name.slice(0, -1)) && name.length > (best?.length ?? 0)) best = name;
  }
  return best === undefined ? undefined : table[best];
}

const wildcards = new WeakMap<Readonly<Record<string, number>>, string[]>();

function wildcardsOf(table: Readonly<Record<string, number>>): string[] {
  let names = wildcards.get(table);
  if (!names) {
    names = Object.keys(table).filter((name) => name.endsWith('*'));
    wildcards.set(table, names);
  }
  return names;
}
