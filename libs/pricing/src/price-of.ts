import { defaultPrices, type LongContextPrice, namedEntry } from '@tollgate/contracts';
import type { ListPrice, PriceVariant } from '@tollgate/contracts/catalog/schema';
import type { CallPrice } from './bill.ts';
import { audioRatioOf, completionRatioOf } from './family-ratios.ts';
import { type ClassFactors, factorsOf, isInTime, listedPrice, periodAround, timesFactors } from './list-price.ts';
import type { PriceTables } from './price-tables.ts';

/** Source of a price: the operator's options, the default tables, or the model catalog. */
export type PriceOrigin = 'operator' | 'default' | 'catalog' | 'unpriced';

/** What a model costs in a group. */
export interface Price {
  ordinary: CallPrice;
  /** The prices of calls whose prompt exceeds `above` tokens, the longest first. */
  tiers?: readonly { above: number; price: CallPrice }[];
  /** Factors of request fields, by `field=value`, from the model's list. */
  modes?: ReadonlyMap<string, ClassFactors>;
  /** Since when a time-dependent price holds, and when it ends, in ms since 1970; left out: always did, or never does. */
  fromMs?: number;
  untilMs?: number;
  origin: PriceOrigin;
}

interface Asked {
  group: string;
  /** When the call began, in ms since 1970: prices may depend on it. */
  atMs: number;
}

/**
 * The prices of a model in a group; undefined when it has none. Options come first; then the catalog, whose ratios the operator's entries
 * override; then the price of unpriced models, where allowed.
 */
export function pricesOf(model: string, { group, atMs }: Asked, tables: PriceTables): Price | undefined {
  const ordinary = tables.isLaidOver(model) && !isOwn(model, tables) ? undefined : optionPrice(model, group, tables);
  if (ordinary !== undefined) return { ordinary, origin: originOf(model, tables), ...longPrice(model, ordinary, tables.longContext) };
  const list = tables.listed(model);
  if (list !== undefined) return listedPrices(list, { model, group, atMs }, tables);
  const { unpricedModelRatio } = tables;
  if (unpricedModelRatio === undefined) return undefined;
  return { ordinary: ratioPrice(model, { group, modelRatio: unpricedModelRatio }, tables), origin: 'unpriced' };
}

/** The ordinary price of one call in a group; undefined when the model has none. */
export function priceOf(model: string, asked: Asked, tables: PriceTables): CallPrice | undefined {
  return pricesOf(model, asked, tables)?.ordinary;
}

function originOf(model: string, tables: PriceTables): PriceOrigin {
  return isOwn(model, tables) ? 'operator' : 'default';
}

function isOwn(model: string, { own }: PriceTables): boolean {
  return namedEntry(own.modelPrice, model) !== undefined || namedEntry(own.modelRatio, model) !== undefined;
}

function longPrice(model: string, ordinary: CallPrice, table: PriceTables['longContext']): Pick<Price, 'tiers'> {
  const rise = ordinary.kind === 'ratio' ? namedEntry(table, model) : undefined;
  return rise === undefined ? {} : { tiers: [{ above: rise.above, price: risen(ordinary, rise) }] };
}

/** A group without a ratio has ratio 1. */
function sharedOf(group: string, tables: PriceTables): Pick<CallPrice, 'groupRatio' | 'quotaPerUnit'> {
  return { groupRatio: tables.groupRatio[group] ?? 1, quotaPerUnit: tables.quotaPerUnit };
}

function optionPrice(model: string, group: string, tables: PriceTables): CallPrice | undefined {
  const modelPrice = namedEntry(tables.modelPrice, model);
  if (modelPrice !== undefined) return { ...ratioPrice(model, { group, modelRatio: 0 }, tables), kind: 'fixed', modelPrice };
  const modelRatio = namedEntry(tables.modelRatio, model);
  return modelRatio === undefined ? undefined : ratioPrice(model, { group, modelRatio }, tables);
}

function ratioPrice(model: string, { group, modelRatio }: { group: string; modelRatio: number }, tables: PriceTables): CallPrice {
  const { cacheCreationRatios, audioCompletionRatio } = defaultPrices;
  const cacheWrite = namedEntry(tables.createCacheRatio, model) ?? namedEntry(cacheCreationRatios, model) ?? 1;
  return {
    kind: 'ratio',
    modelRatio,
    modelPrice: 0,
    completionRatio: completionRatioOf(model, tables.completionRatio),
    cacheRatio: namedEntry(tables.cacheRatio, model) ?? 1,
    cacheWrite5mRatio: cacheWrite,
    // Providers that distinguish the two charge 2 x the input price for one hour, and 1.25 x for five minutes.
    cacheWrite1hRatio: cacheWrite * 1.6,
    audioRatio: namedEntry(tables.audioRatio, model) ?? audioRatioOf(model),
    audioCompletionRatio: namedEntry(tables.audioCompletionRatio, model) ?? audioCompletionRatio,
    ...sharedOf(group, tables),
    cachedAudioRatio: namedEntry(tables.audioCacheRatio, model),
    imageRatio: namedEntry(tables.imageRatio, model),
    imageCompletionRatio: namedEntry(tables.imageCompletionRatio, model),
    pieces: namedEntry(tables.piecePrice, model),
  };
}

/** A catalog price at an instant. The factors of time, long prompts and request fields multiply. */
function listedPrices(list: ListPrice, { model, group, atMs }: Asked & { model: string }, tables: PriceTables): Price {
  const variants = list.variants ?? [];
  const isPlain = ({ when: { above, field } }: PriceVariant) => above === undefined && field === undefined;
  const inTime = variants.filter(({ when }) => isInTime(when, atMs));
  const listed = listedPrice(list, sharedOf(group, tables));
  const timed = inTime.filter(isPlain).reduce((price, variant) => timesFactors(price, factorsOf(list, variant)), listed);
  const ordinary = withOwn(timed, model, tables);
  const ownRise = longPrice(model, ordinary, tables.own.longContext);
  const tiers = inTime
    .flatMap((variant) => {
      const { above } = variant.when;
      return above === undefined ? [] : [{ above, price: timesFactors(ordinary, factorsOf(list, variant)) }];
    })
    .sort((one, other) => other.above - one.above);
  const modes = new Map(
    inTime.flatMap((variant) => {
      const { field } = variant.when;
      const isOwn = field !== undefined && namedEntry(tables.own.requestField, field) !== undefined;
      return field === undefined || isOwn ? [] : [[field, factorsOf(list, variant)] as const];
    }),
  );
  return {
    ordinary,
    origin: 'catalog',
    ...(tiers.length > 0 && { tiers }),
    ...ownRise,
    ...(modes.size > 0 && { modes }),
    ...periodAround(
      variants.map(({ when }) => when),
      atMs,
    ),
  };
}

/** Applies the ratios that the operator set for this model. */
function withOwn(price: CallPrice, model: string, { own }: PriceTables): CallPrice {
  const write = namedEntry(own.createCacheRatio, model);
  const set = {
    completionRatio: namedEntry(own.completionRatio, model),
    cacheRatio: namedEntry(own.cacheRatio, model),
    cacheWrite5mRatio: write,
    cacheWrite1hRatio: write && write * 1.6,
    audioRatio: namedEntry(own.audioRatio, model),
    audioCompletionRatio: namedEntry(own.audioCompletionRatio, model),
    cachedAudioRatio: namedEntry(own.audioCacheRatio, model),
    imageRatio: namedEntry(own.imageRatio, model),
    imageCompletionRatio: namedEntry(own.imageCompletionRatio, model),
    pieces: namedEntry(own.piecePrice, model),
  };
  const stated = Object.entries(set).filter(([, value]) => value !== undefined);
  return stated.length === 0 ? price : { ...price, ...Object.fromEntries(stated) };
}

/** Multiplies the input and the output price. The ratios of input classes stay. */
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
