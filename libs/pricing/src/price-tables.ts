import { defaultPrices, type LongContextPrice, type OptionValues, type PiecePrices } from '@tollgate/contracts';
import type { ListPrice } from '@tollgate/contracts/catalog/schema';

/** The operator's price lists. Ratio 1 is 2 US dollars per million tokens; model prices are US dollars per call. */
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
  /** The ratio of unpriced models; undefined: they are refused. */
  unpricedModelRatio: number | undefined;
  /** The entries that the operator changed. They override the catalog. */
  own: OwnEntries;
  /** The catalog's price of a model. */
  listed(model: string): ListPrice | undefined;
  /** Whether that price comes from the operator's catalog, which wins over the default tables. */
  isLaidOver(model: string): boolean;
}

interface CatalogPrice {
  price: ListPrice | undefined;
  isLaidOver?: boolean;
}

type Table<Value> = Readonly<Record<string, Value>>;

interface OwnEntries
  extends Record<
    | 'modelRatio'
    | 'modelPrice'
    | 'completionRatio'
    | 'cacheRatio'
    | 'audioCacheRatio'
    | 'createCacheRatio'
    | 'imageRatio'
    | 'imageCompletionRatio'
    | 'audioRatio'
    | 'audioCompletionRatio'
    | 'requestField',
    Table<number>
  > {
  piecePrice: Table<PiecePrices>;
  longContext: Table<LongContextPrice>;
}

/** The entries of a table that differ from the defaults. */
export function ownEntries<Value>(table: Table<Value>, came: Table<Value>): Table<Value> {
  if (table === came) return {};
  const isOwn = ([name, value]: [string, Value]) => !Object.hasOwn(came, name) || JSON.stringify(came[name]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(table).filter(isOwn));
}

/** `facts`: what the catalog says of a model's price. */
export function pricesFrom(options: OptionValues, facts: (model: string) => CatalogPrice | undefined = () => undefined): PriceTables {
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
    listed: (model) => facts(model)?.price,
    isLaidOver: (model) => facts(model)?.isLaidOver === true,
    own: {
      modelRatio: ownEntries(options.ModelRatio, defaultPrices.modelRatios),
      modelPrice: ownEntries(options.ModelPrice, defaultPrices.modelPrices),
      completionRatio: ownEntries(options.CompletionRatio, defaultPrices.completionRatios),
      cacheRatio: ownEntries(options.CacheRatio, defaultPrices.cacheRatios),
      audioCacheRatio: ownEntries(options.AudioCacheRatio, defaultPrices.audioCacheRatios),
      createCacheRatio: ownEntries(options.CreateCacheRatio, defaultPrices.cacheCreationRatios),
      imageRatio: ownEntries(options.ImageRatio, defaultPrices.imageRatios),
      imageCompletionRatio: ownEntries(options.ImageCompletionRatio, defaultPrices.imageCompletionRatios),
      audioRatio: ownEntries(options.AudioRatio, defaultPrices.audioRatios),
      audioCompletionRatio: ownEntries(options.AudioCompletionRatio, defaultPrices.audioCompletionRatios),
      piecePrice: ownEntries(options.PiecePrice, defaultPrices.piecePrices),
      longContext: ownEntries(options.LongContextPrice, defaultPrices.longContextPrices),
      requestField: ownEntries(options.RequestFieldRatio, defaultPrices.requestFieldRatios),
    },
  };
}
