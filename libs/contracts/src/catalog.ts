import { type Catalog, type ModelFacts, openCatalog, overlaid } from './catalog/catalog.ts';
import type { ModelCatalog, ModelEntry, ModelFamily } from './catalog/schema.ts';
import families from './data/catalog/families.json' with { type: 'json' };
import hosted from './data/catalog/hosted-names.json' with { type: 'json' };
import listed from './data/catalog/models.json' with { type: 'json' };
import more from './data/catalog/more-models.json' with { type: 'json' };

export type { Catalog, ModelFacts } from './catalog/catalog.ts';
export { openCatalog, overlaid } from './catalog/catalog.ts';
export { nearestEffort } from './catalog/effort.ts';
export { entriesFromModelsDev } from './catalog/from-models-dev.ts';
export { type PriceFile, type PriceSourceKind, priceSourceKinds, readPriceFile } from './catalog/price-sources.ts';
export {
  type Effort,
  efforts,
  type ListPrice,
  type ModelCatalog,
  type ModelEntry,
  type ModelRules,
  type ReasoningRules,
} from './catalog/schema.ts';

/** What comes with this release: entries by their makers' lists, what was looked up besides, and the rules of their families. */
export const builtInCatalog: ModelCatalog = overlaid(
  { families: families.families as unknown as Record<string, ModelFamily>, models: listed.models as unknown as ModelEntry[] },
  { families: {}, models: more.models as unknown as ModelEntry[] },
);

/** How models are called where the name is another there, by the cloud. */
export const hostedNames: {
  bedrock: Readonly<Record<string, { id: string; profiles: string[] }>>;
  vertex: Readonly<Record<string, string>>;
  baidu: Readonly<Record<string, string>>;
  spark: Readonly<Record<string, string>>;
} = hosted;

let current: Catalog = openCatalog(builtInCatalog);
let laidOver: ModelCatalog | undefined;

/** The catalog that is in force in this process. */
export function currentCatalog(): Catalog {
  return current;
}

/** What is known of a model; undefined for nothing. */
export function factsOf(model: string): ModelFacts | undefined {
  return current.facts(model);
}

/** Lays an operator's catalog (the option ModelCatalog) over the built-in one, for the whole process; undefined for the built-in one alone. */
export function useCatalog(update: ModelCatalog | undefined): void {
  if (update === laidOver) return;
  laidOver = update;
  const isEmpty = update === undefined || update.models.length + Object.keys(update.families).length === 0;
  current = openCatalog(isEmpty ? builtInCatalog : overlaid(builtInCatalog, update, { byOperator: true }));
}
