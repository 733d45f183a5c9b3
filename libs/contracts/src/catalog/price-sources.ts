import { entriesFromModelsDev } from './from-models-dev.ts';
import { type ListPrice, listPrice, type ModelCatalog, type ModelEntry, modelCatalog, type PriceVariant } from './schema.ts';

type Json = Record<string, unknown>;

/**
 * What a file of prices may be: a catalog of ours, models.dev's `api.json`, OpenRouter's list of models, LiteLLM's price file, or `/api/pricing` and
 * `/api/ratio_config` of the one-api family.
 */
export const priceSourceKinds = ['catalog', 'models.dev', 'openrouter', 'litellm', 'pricing'] as const;
export type PriceSourceKind = (typeof priceSourceKinds)[number];

/** A price in a file that cannot be one. */
export interface OddPrice {
  name: string;
  reason: 'free' | 'invalid' | 'currency';
}

export interface PriceFile {
  entries: ModelEntry[];
  odd: OddPrice[];
  /** Of a catalog of ours: all of it but its prices. */
  rest?: ModelCatalog;
}

interface Reading {
  /** The day on which it was read, and its address. */
  read: string;
  source: string;
  /** The provider that sells at these prices, where the file does not name it. */
  provider: string;
}

/** Throws: Error that names the expected format. */
export function readPriceFile(kind: PriceSourceKind, file: unknown, reading: Reading): PriceFile {
  if (kind === 'catalog') return catalogIn(file);
  if (!isObject(file) && !Array.isArray(file)) throw new Error('it is no JSON object');
  if (kind === 'models.dev') return modelsDevIn(file as Json, reading);
  const readers = { openrouter: openRouterIn, litellm: liteLlmIn, pricing: pricingIn };
  const found = readers[kind](file, reading);
  if (found.length === 0) throw new Error('it lists no model');
  return checked(found, reading);
}

function catalogIn(file: unknown): PriceFile {
  const parsed = modelCatalog.safeParse(file);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`it is no catalog: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { families, models } = parsed.data;
  const others = models.flatMap(({ price: _price, ...entry }) => (holdsFacts(entry) ? [entry] : []));
  const rest = others.length + Object.keys(families).length > 0 ? { rest: { version: 1 as const, families, models: others } } : {};
  return { entries: models.filter(({ price }) => price !== undefined), odd: [], ...rest };
}

function holdsFacts({ rules, limits, modalities, family, status }: Partial<ModelEntry>): boolean {
  return [rules, limits, modalities, family, status].some((fact) => fact !== undefined);
}

/** A price of zero is left out by the reader of this format, so it is looked for here. */
function modelsDevIn(file: Json, { read }: Reading): PriceFile {
  const entries = entriesFromModelsDev(file, { read });
  if (entries.length === 0) throw new Error('it lists no model');
  const odd = entries.flatMap(({ name, provider, price }): OddPrice[] => {
    const models = (file[provider] as { models?: Record<string, { cost?: unknown }> }).models;
    return price === undefined && isObject(models?.[name]?.cost) ? [{ name, reason: 'free' }] : [];
  });
  return checked(
    entries.flatMap(({ price, ...entry }) => (price === undefined ? [] : [{ ...entry, price: { ...price } }])),
    undefined,
    odd,
  );
}

interface Found {
  name: string;
  provider?: string;
  price: Json;
  status?: ModelEntry['status'];
  limits?: ModelEntry['limits'];
}

/** Entries of which the price is one; what is wrong with the others. */
function checked(found: readonly (Found & Partial<ModelEntry>)[], reading: Reading | undefined, odd: OddPrice[] = []): PriceFile {
  const entries: ModelEntry[] = [];
  for (const { name, price, ...facts } of found) {
    const stated = Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined));
    const parsed = listPrice.safeParse(stated);
    if (parsed.success && isPaid(parsed.data)) {
      entries.push({ ...reading, ...facts, name, price: parsed.data } as ModelEntry);
    } else if (Object.keys(stated).length > 0) {
      odd.push({ name, reason: isFree(stated) ? 'free' : 'invalid' });
    }
  }
  return { entries, odd };
}

/** An answer may cost nothing where there is none, as of vectors; a prompt costs something. */
function isPaid({ input, call }: ListPrice): boolean {
  return call === undefined ? (input ?? 0) > 0 : call > 0;
}

function isFree({ input, output, call }: Json): boolean {
  return call === undefined ? input === 0 || (input === undefined && output === 0) : call === 0;
}

const million = 1_000_000;

/** US dollars for a million of what costs this for one; not a number where that is none. */
function perMillion(each: unknown): number | undefined {
  if (each === undefined || each === null || each === '') return undefined;
  const number = typeof each === 'string' ? Number(each) : each;
  if (typeof number !== 'number') return Number.NaN;
  return Number((number * million).toPrecision(12));
}

/** The same, but zero means unknown. */
function known(each: unknown): number | undefined {
  return perMillion(each) || undefined;
}

/** OpenRouter's names of makers, where they are not the catalog's. */
const makers: Readonly<Record<string, string>> = {
  'x-ai': 'xai',
  mistralai: 'mistral',
  'z-ai': 'zhipuai',
  qwen: 'alibaba',
  'meta-llama': 'meta',
};

/** US dollars a token, as texts. Source: https://openrouter.ai/docs/api-reference/list-available-models */
function openRouterIn(file: unknown): Found[] {
  return objectsIn((file as Json).data).flatMap((model) => {
    const { id, pricing, expiration_date: ends } = model;
    if (typeof id !== 'string' || !isObject(pricing)) return [];
    const at = id.indexOf('/');
    const maker = at < 0 ? undefined : id.slice(0, at);
    const prices = (stated: Json) => ({
      input: perMillion(stated.prompt),
      output: perMillion(stated.completion),
      cacheRead: known(stated.input_cache_read),
      cacheWrite: known(stated.input_cache_write),
      audioInput: known(stated.audio),
      reasoning: known(stated.internal_reasoning),
    });
    const variants = objectsIn(pricing.overrides).flatMap((over): PriceVariant[] => {
      const above = over.min_prompt_tokens;
      return typeof above === 'number' && above > 0 ? [{ when: { above }, ...withoutUndefined(prices(over)) }] : [];
    });
    const price = { ...prices(pricing), ...(variants.length > 0 && { variants }) };
    const facts = {
      price,
      ...(maker !== undefined && { provider: makers[maker] ?? maker }),
      ...(isPast(ends) && { status: 'retired' as const }),
    };
    return at < 0
      ? [{ name: id, ...facts }]
      : [
          { name: id, ...facts },
          { name: id.slice(at + 1), ...facts },
        ];
  });
}

/** US dollars a token. Source: https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json */
function liteLlmIn(file: unknown): Found[] {
  return Object.entries(file as Json).flatMap(([name, facts]) => {
    if (name === 'sample_spec' || !isObject(facts)) return [];
    const { litellm_provider: provider, mode, deprecation_date: ends } = facts;
    const prices = (ending: string) => ({
      input: perMillion(facts[`input_cost_per_token${ending}`]),
      output: perMillion(facts[`output_cost_per_token${ending}`]),
      cacheRead: known(facts[`cache_read_input_token_cost${ending}`]),
      cacheWrite: known(facts[`cache_creation_input_token_cost${ending}`]),
    });
    const plain = prices('');
    if (plain.input === undefined && plain.output === undefined) return [];
    const variants = Object.keys(facts).flatMap((field): PriceVariant[] => {
      const thousands = /^input_cost_per_token_above_(\d{1,5})k_tokens$/.exec(field)?.[1];
      if (thousands === undefined) return [];
      return [{ when: { above: Number(thousands) * 1000 }, ...withoutUndefined(prices(`_above_${thousands}k_tokens`)) }];
    });
    const price = {
      ...plain,
      output: plain.output ?? (mode === 'embedding' ? 0 : undefined),
      cacheWrite1h: known(facts.cache_creation_input_token_cost_above_1hr),
      audioInput: known(facts.input_cost_per_audio_token),
      audioOutput: known(facts.output_cost_per_audio_token),
      reasoning: known(facts.output_cost_per_reasoning_token),
      ...(variants.length > 0 && { variants }),
    };
    const seller = typeof provider === 'string' ? provider : undefined;
    const found = { price, ...(seller !== undefined && { provider: seller }), ...(isPast(ends) && { status: 'retired' as const }) };
    const bare = seller !== undefined && name.startsWith(`${seller}/`) ? name.slice(seller.length + 1) : undefined;
    return bare === undefined
      ? [{ name, ...found }]
      : [
          { name, ...found },
          { name: bare, ...found },
        ];
  });
}

/** Ratio 1 is 2 US dollars for a million tokens, in all of the one-api family. */
const dollarsOfRatio = 2;

/** Source: https://github.com/QuantumNous/new-api, `/api/pricing` and `/api/ratio_config`. Throws: Error for another currency. */
function pricingIn(file: unknown, { provider }: Reading): Found[] {
  const currency = isObject(file) ? (file.currency ?? file.price_currency) : undefined;
  if (currency !== undefined && String(currency).toUpperCase() !== 'USD')
    throw new Error(`its prices are in ${String(currency).slice(0, 16)}`);
  const data = Array.isArray(file) ? file : (file as Json).data;
  const rows = Array.isArray(data) ? objectsIn(data) : rowsOf(isObject(data) ? data : (file as Json));
  return rows.flatMap((row): Found[] => {
    const {
      model_name: name,
      quota_type: kind,
      model_ratio: ratio,
      model_price: call,
      completion_ratio: completion = 1,
      cache_ratio: cache,
    } = row;
    if (typeof name !== 'string' || name === '') return [];
    if (kind === 1) return [{ name, provider, price: { call } }];
    const input = typeof ratio === 'number' ? ratio * dollarsOfRatio : Number.NaN;
    const times = (factor: unknown) => (typeof factor === 'number' ? Number((input * factor).toPrecision(12)) : undefined);
    return [{ name, provider, price: { input, output: times(completion), cacheRead: times(cache) || undefined } }];
  });
}

/** Maps by model as rows. */
function rowsOf(maps: Json): Json[] {
  const { model_ratio: ratios, model_price: prices, completion_ratio: completions, cache_ratio: caches } = maps;
  const at = (map: unknown, name: string) => (isObject(map) ? map[name] : undefined);
  return [
    ...Object.entries(isObject(ratios) ? ratios : {}).map(([name, ratio]) => ({
      model_name: name,
      quota_type: 0,
      model_ratio: ratio,
      ...withoutUndefined({ completion_ratio: at(completions, name), cache_ratio: at(caches, name) }),
    })),
    ...Object.entries(isObject(prices) ? prices : {}).map(([name, call]) => ({ model_name: name, quota_type: 1, model_price: call })),
  ];
}

function isPast(day: unknown): boolean {
  return typeof day === 'string' && /^\d{4}-\d\d-\d\d/.test(day) && Date.parse(day) < Date.now();
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T;
}
