import { namedEntry, type OptionValues } from '@tollgate/contracts';
import { builtInCatalog, type ListPrice, type ModelEntry, openCatalog, overlaid, type PriceFile } from '@tollgate/contracts/catalog';
import { type PriceClass, priceClasses } from '@tollgate/contracts/catalog/schema';
import { pricesOf } from '@tollgate/pricing';
import { tablesOf } from '../options/catalog-prices.ts';
import { type Judged, judgePrice } from './judge.ts';

/** A price that a source has for a model, as an entry of the catalog, and what it comes to. */
export interface Candidate extends Judged {
  model: string;
  entry: ModelEntry;
}

export interface Source {
  name: string;
  /** Its entries are used unchanged, whether or not a channel offers the models. */
  isCatalog: boolean;
}

interface Wish {
  options: OptionValues;
  offered: readonly string[];
  source: Source;
  /** Models for which a source before this one has decided. */
  decided: ReadonlySet<string>;
  /** Prices of models some time ago. */
  baselines?: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/** The prices in a file: of the models that are offered, or of all where it is a catalog. Models that the operator prices are left out. */
export function candidatesIn(file: PriceFile, { options, offered, source, decided, baselines }: Wish): Candidate[] {
  const { facts } = openCatalog(overlaid(builtInCatalog, options.ModelCatalog, { byOperator: true }));
  const listed = openCatalog({ families: builtInCatalog.families, models: file.entries });
  const isOffered = new Set(offered);
  const names = source.isCatalog ? [...new Set([...offered, ...file.entries.map(({ name }) => name)])] : offered;
  const before = tablesOf(options);
  const asked = { group: '', atMs: Date.now() };
  const entries = new Map<string, ModelEntry>();
  for (const model of names) {
    const pin = namedEntry(options.CatalogPins, model);
    if (decided.has(model) || (pin !== undefined && pin !== source.name)) continue;
    const found = listed.facts(model);
    if (found?.price === undefined || pricesOf(model, asked, before)?.origin === 'operator') continue;
    const current = facts(model);
    const own = source.isCatalog
      ? file.entries.find(({ name, provider }) => name === model && provider === found.priceSource?.provider)
      : undefined;
    const { source: page = '', read = '' } = found.priceSource ?? {};
    const provider = current?.priceSource?.provider ?? current?.maker ?? found.priceSource?.provider ?? source.name;
    entries.set(model, own ? priceAlone(own) : { name: model, provider, price: carried(current?.price, found.price), source: page, read });
  }
  if (entries.size === 0) return [];
  const after = tablesOf(withEntries(options, [...entries.values()]));
  const quietShare = options.CatalogQuietPercent / 100;
  return [...entries].map(([model, entry]) => {
    const judged = judgePrice(
      { was: pricesOf(model, asked, before), is: pricesOf(model, asked, after) },
      { list: entry.price as ListPrice, listBefore: facts(model)?.price, quietShare, baseline: baselines?.get(model) },
    );
    const isUnserved = judged.verdict === 'waiting' && source.isCatalog && !isOffered.has(model);
    return { model, entry, ...judged, ...(isUnserved && { verdict: 'quiet' as const }) };
  });
}

function priceAlone({ name, provider, price, source, read }: ModelEntry): ModelEntry {
  return { name, provider, price, source, read };
}

const ofOutput = new Set<PriceClass>(['output', 'audioOutput', 'imageOutput', 'reasoning']);

/** What a source does not state keeps its share of the input or the output price. */
function carried(current: ListPrice | undefined, next: ListPrice): ListPrice {
  const { source: _source, read: _read, ...price } = next;
  if (current?.input === undefined || current.output === undefined || price.input === undefined || price.output === undefined) return price;
  const times = {
    input: current.input > 0 ? price.input / current.input : 1,
    output: current.output > 0 ? price.output / current.output : 1,
  };
  const scaled = (kind: PriceClass, dollars: number) =>
    Number((dollars * (ofOutput.has(kind) ? times.output : times.input)).toPrecision(10));
  const kept = priceClasses.flatMap((kind) => (price[kind] === undefined && current[kind] ? [[kind, scaled(kind, current[kind])]] : []));
  const variants =
    price.variants ??
    current.variants?.map((variant) => ({
      ...variant,
      ...Object.fromEntries(priceClasses.flatMap((kind) => (variant[kind] === undefined ? [] : [[kind, scaled(kind, variant[kind])]]))),
    }));
  const pieces = price.pieces ?? current.pieces;
  return { ...price, ...Object.fromEntries(kept), ...(variants && { variants }), ...(pieces && { pieces }) };
}

/** The options with these entries laid over their catalog. */
export function withEntries(options: OptionValues, entries: readonly ModelEntry[]): OptionValues {
  return { ...options, ModelCatalog: overlaid(options.ModelCatalog, { families: {}, models: [...entries] }) };
}

/** Models that are offered, had a price and would have none, or a free one: such a change is never stored. */
export function lostPrices(before: OptionValues, after: OptionValues, offered: readonly string[]): string[] {
  const asked = { group: '', atMs: Date.now() };
  const [had, has] = [tablesOf(before), tablesOf(after)];
  return offered.filter((model) => {
    const [then, now] = [pricesOf(model, asked, had), pricesOf(model, asked, has)];
    return isPaid(then) && !isPaid(now);
  });
}

function isPaid(price: ReturnType<typeof pricesOf>): boolean {
  if (price === undefined) return false;
  const { kind, modelRatio, modelPrice } = price.ordinary;
  return kind === 'fixed' ? modelPrice > 0 : modelRatio > 0;
}
