import type { ListPrice, ModelCatalog, ModelEntry, ModelFamily, ModelRules } from './schema.ts';

/** What is known of one model. */
export interface ModelFacts {
  /** What operators appended to its name to say how much it is to think; '' for nothing. */
  ending: string;
  family: string | undefined;
  /** Who made it; a provider of this name sells it first hand. */
  maker: string | undefined;
  rules: ModelRules;
  price: ListPrice | undefined;
  /** The price is one that an operator's catalog set: it wins over the default tables. */
  isLaidOver: boolean;
  /** Whose price it is, and where it was read. */
  priceSource: { provider: string; source: string; read: string } | undefined;
  limits: NonNullable<ModelEntry['limits']>;
  modalities: ModelEntry['modalities'];
}

export interface Catalog {
  /** Undefined for a model of which nothing is known. Looked up once a name. */
  facts(name: string): ModelFacts | undefined;
  families: Readonly<Record<string, ModelFamily>>;
  models: readonly ModelEntry[];
}

/** Names that callers make up must not fill the memory. */
const mostRemembered = 10_000;

export function openCatalog({ families, models }: Pick<ModelCatalog, 'families' | 'models'>): Catalog {
  const entries = byPattern(models, ({ name }) => [name]);
  const members = byPattern(Object.entries(families), ([, family]) => family.models);
  const inherited = new Map<string, { maker: string | undefined; rules: ModelRules }>();
  const known = new Map<string, ModelFacts | undefined>();

  function familyOf(key: string, depth = 0): { maker: string | undefined; rules: ModelRules } {
    const done = inherited.get(key);
    if (done !== undefined) return done;
    const family = families[key];
    const parent = family?.extends === undefined || depth > 20 ? undefined : familyOf(family.extends, depth + 1);
    const whole = { maker: family?.maker ?? parent?.maker, rules: mergedRules(parent?.rules ?? {}, family?.rules ?? {}) };
    inherited.set(key, whole);
    return whole;
  }

  function find(name: string, ending = ''): ModelFacts | undefined {
    const spellings = spellingsOf(name);
    const found = firstOf(spellings, (one) => entries.at(one));
    const named = found.find(({ family }) => family !== undefined)?.family;
    const key = named ?? firstOf(spellings, (one) => members.at(one))[0]?.[0];
    if (found.length === 0 && key === undefined) return undefined;
    const { maker, rules } = key === undefined ? { maker: undefined, rules: {} as ModelRules } : familyOf(key);
    const appended = found.some((entry) => !entry.name.endsWith('*'))
      ? undefined
      : rules.reasoning?.endings?.find((one) => name.endsWith(one));
    if (appended !== undefined && ending === '') return find(name.slice(0, -appended.length), appended);
    const ranked = [...found].sort((one, other) => rankOf(one, maker) - rankOf(other, maker) || dearness(other) - dearness(one));
    const priced = ranked.find(({ price }) => price !== undefined);
    return {
      ending,
      family: key,
      maker,
      rules: ranked.reduceRight((all, entry) => (entry.rules === undefined ? all : mergedRules(all, entry.rules)), rules),
      price: priced?.price,
      isLaidOver: priced !== undefined && laidOver.has(priced),
      priceSource: priced && sourceOf(priced),
      limits: ranked.length === 1 ? (ranked[0]?.limits ?? {}) : Object.assign({}, ...ranked.map(({ limits }) => limits).reverse()),
      modalities: ranked.find(({ modalities }) => modalities !== undefined)?.modalities,
    };
  }

  return {
    families,
    models,
    facts(name) {
      const facts = known.get(name);
      if (facts !== undefined || known.has(name)) return facts;
      const made = find(name);
      if (known.size >= mostRemembered) known.clear();
      known.set(name, made);
      return made;
    },
  };
}

/** One catalog over another: entries of the same provider and name are taken facet by facet, families whole. */
export function overlaid(
  base: Pick<ModelCatalog, 'families' | 'models'>,
  over: Pick<ModelCatalog, 'families' | 'models'>,
  { byOperator = false } = {},
): ModelCatalog {
  const models = new Map(base.models.map((entry) => [`${entry.provider} ${entry.name}`, entry]));
  for (const entry of over.models) {
    const key = `${entry.provider} ${entry.name}`;
    const below = models.get(key);
    const whole = below === undefined ? entry : overlaidEntry(below, entry);
    if (byOperator && entry.price !== undefined) laidOver.add(whole);
    models.set(key, whole);
  }
  return { version: 1, families: { ...base.families, ...over.families }, models: [...models.values()] };
}

/** Entries with a price of an operator's catalog. */
const laidOver = new WeakSet<ModelEntry>();

/** A price keeps the origin that it had: the entry's own is that of what was laid over it. */
function overlaidEntry({ says: _says, official: _official, ...below }: ModelEntry, over: ModelEntry): ModelEntry {
  const price = below.price && { source: below.source, read: below.read, ...below.price };
  const rules = below.rules !== undefined && over.rules !== undefined ? mergedRules(below.rules, over.rules) : (over.rules ?? below.rules);
  return { ...below, ...(price && { price }), ...over, ...(rules && { rules }) };
}

/** Where a price was read: with the entry, unless it was laid over. There may be thousands: an entry is its own answer. */
function sourceOf(entry: ModelEntry): NonNullable<ModelFacts['priceSource']> {
  const { provider, price } = entry;
  return price?.source === undefined ? entry : { provider, source: price.source, read: price.read ?? entry.read };
}

/** The provider that made the model first; then the others. */
function rankOf({ provider }: ModelEntry, maker: string | undefined): number {
  return provider === maker ? 0 : 1;
}

function dearness({ price }: ModelEntry): number {
  return price === undefined ? -1 : (price.output ?? 0) + (price.input ?? 0) + (price.call ?? 0);
}

function mergedRules(below: ModelRules, over: ModelRules): ModelRules {
  const rules: ModelRules = { ...below, ...over };
  for (const part of ['parameters', 'reasoning', 'tools', 'hosted', 'fields'] as const) {
    if (below[part] !== undefined && over[part] !== undefined) Object.assign(rules, { [part]: { ...below[part], ...over[part] } });
  }
  return rules;
}

/** The names under which a model may stand: as it is, as clouds and paths spell it (`us.anthropic.x-v1:0`, `models/x`), and without a date. */
function spellingsOf(name: string): string[] {
  const plain = name.replace(/^models\//, '').replace(/^(?:[a-z]{2,6}\.)?anthropic\.([^:]+?)(?:-v\d+(?::\d+)?)?$/, '$1');
  const undated = plain.replace(/[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, '');
  return [...new Set([name, plain, undated])];
}

function firstOf<T>(names: readonly string[], find: (name: string) => { exact: T[]; wild: T[] }): T[] {
  const found = names.map(find);
  const exact = found.find((one) => one.exact.length > 0)?.exact ?? [];
  const wild = found.find((one) => one.wild.length > 0)?.wild ?? [];
  return [...exact, ...wild];
}

/** Finds what fits a name: exact entries, and those of the longest `prefix*`. */
function byPattern<T>(all: readonly T[], namesOf: (one: T) => readonly string[]): { at(name: string): { exact: T[]; wild: T[] } } {
  const exact = new Map<string, T[]>();
  const wild = new Map<string, T[]>();
  const lengths = new Set<number>();
  for (const one of all) {
    for (const name of namesOf(one)) {
      const isWild = name.endsWith('*');
      const key = isWild ? name.slice(0, -1) : name;
      const map = isWild ? wild : exact;
      const known = map.get(key);
      if (known === undefined) map.set(key, [one]);
      else known.push(one);
      if (isWild) lengths.add(key.length);
    }
  }
  const longestFirst = [...lengths].sort((one, other) => other - one);
  return {
    at(name) {
      const length = longestFirst.find((one) => one <= name.length && wild.has(name.slice(0, one)));
      return { exact: exact.get(name) ?? [], wild: length === undefined ? [] : (wild.get(name.slice(0, length)) ?? []) };
    },
  };
}
