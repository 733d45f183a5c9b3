import { defaultPrices, type LongContextPrice, namedEntry, type OptionValues, type PiecePrices } from '@tollgate/contracts';
import type { CallPrice } from './bill.ts';
import { matches } from './name-rule.ts';

/** The operator's price lists. Ratio 1 is 2 US dollars a million tokens; model prices are US dollars a call. */
export interface PriceTables {
  modelRatio: Readonly<Record<string, number>>;
  modelPrice: Readonly<Record<string, number>>;
  completionRatio: Readonly<Record<string, number>>;
  cacheRatio: Readonly<Record<string, number>>;
  audioCacheRatio: Readonly<Record<string, number>>;
  createCacheRatio: Readonly<Record<string, number>>;
  imageRatio: Readonly<Record<string, number>>;
  imageCompletionRatio: Readonly<Record<string, number>>;
  audioRatio: Readonly<Record<string, number>>;
  audioCompletionRatio: Readonly<Record<string, number>>;
  piecePrice: Readonly<Record<string, PiecePrices>>;
  longContext: Readonly<Record<string, LongContextPrice>>;
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
    audioCacheRatio: options.AudioCacheRatio,
    createCacheRatio: options.CreateCacheRatio,
    imageRatio: options.ImageRatio,
    imageCompletionRatio: options.ImageCompletionRatio,
    audioRatio: options.AudioRatio,
    audioCompletionRatio: options.AudioCompletionRatio,
    piecePrice: options.PiecePrice,
    longContext: options.LongContextPrice,
    groupRatio: options.GroupRatio,
    quotaPerUnit: options.QuotaPerUnit,
    unpricedModelRatio: options.SelfUseModeEnabled ? options.UnpricedModelRatio : undefined,
  };
}

/** What a model costs in a group: its price, and the one of calls whose prompt has more than `above` tokens. */
export interface Price {
  ordinary: CallPrice;
  long: { above: number; price: CallPrice } | undefined;
}

/** The prices of a model in a group; undefined when it has none. */
export function pricesOf(model: string, group: string, tables: PriceTables): Price | undefined {
  const ordinary = priceOf(model, group, tables);
  if (ordinary === undefined) return undefined;
  const rise = ordinary.kind === 'ratio' ? namedEntry(tables.longContext, renamed(model)) : undefined;
  if (rise === undefined) return { ordinary, long: undefined };
  return { ordinary, long: { above: rise.above, price: risen(ordinary, rise) } };
}

/** The ordinary price of one call in a group; undefined when the model has none. A group without a ratio counts 1. */
export function priceOf(requestedModel: string, group: string, tables: PriceTables): CallPrice | undefined {
  const model = renamed(requestedModel);
  const fixed = namedEntry(tables.modelPrice, model);
  const modelRatio = namedEntry(tables.modelRatio, model) ?? tables.unpricedModelRatio;
  if (fixed === undefined && modelRatio === undefined) return undefined;
  const cacheWrite = namedEntry(tables.createCacheRatio, model) ?? (model.includes('claude') ? 1.25 : 1);
  return {
    kind: fixed === undefined ? 'ratio' : 'fixed',
    modelRatio: fixed === undefined ? (modelRatio ?? 0) : 0,
    modelPrice: fixed ?? 0,
    completionRatio: completionRatioOf(model, tables.completionRatio),
    cacheRatio: namedEntry(tables.cacheRatio, model) ?? 1,
    cacheWrite5mRatio: cacheWrite,
    // Providers that tell the two apart ask 2 x the input price for an hour, where five minutes cost 1.25 x.
    cacheWrite1hRatio: cacheWrite * 1.6,
    audioRatio: namedEntry(tables.audioRatio, model) ?? audioRatioOf(model),
    audioCompletionRatio: namedEntry(tables.audioCompletionRatio, model) ?? defaultPrices.audioCompletionRatio,
    groupRatio: tables.groupRatio[group] ?? 1,
    quotaPerUnit: tables.quotaPerUnit,
    cachedAudioRatio: namedEntry(tables.audioCacheRatio, model),
    imageRatio: namedEntry(tables.imageRatio, model),
    imageCompletionRatio: namedEntry(tables.imageCompletionRatio, model),
    pieces: namedEntry(tables.piecePrice, model),
  };
}

/** Dearer by as much for the input, and for the output. Ratios of input classes hold as they are. */
function risen(price: CallPrice, { input, output }: LongContextPrice): CallPrice {
  const { completionRatio, audioCompletionRatio, imageCompletionRatio } = price;
  const rise = input === 0 ? 1 : output / input;
  return {
    ...price,
    modelRatio: price.modelRatio * input,
    completionRatio: completionRatio * rise,
    audioCompletionRatio: audioCompletionRatio * rise,
    imageCompletionRatio: imageCompletionRatio && imageCompletionRatio * rise,
  };
}

/** `ratio` times the price, all of it: what a request asked for beyond the ordinary. */
export function timesRatio(price: CallPrice, ratio: number): CallPrice {
  if (ratio === 1) return price;
  const { modelRatio, modelPrice, pieces = {} } = price;
  const dearer = Object.fromEntries(Object.entries(pieces).map(([kind, dollars]) => [kind, dollars * ratio]));
  return { ...price, modelRatio: modelRatio * ratio, modelPrice: modelPrice * ratio, pieces: dearer };
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
    if (rule.rename === undefined) return rule.fixed ? (rule.ratio ?? 1) : (namedEntry(explicit, model) ?? rule.ratio ?? 1);
    model = rule.rename;
  }
  return namedEntry(explicit, model) ?? 1;
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
