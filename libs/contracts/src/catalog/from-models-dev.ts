import { type Effort, efforts, type ListPrice, type ModelEntry, type ModelRules, type PriceVariant } from './schema.ts';

type Json = Record<string, unknown>;

/** Names of one class in such files, the usual one first. */
const classes = {
  input: ['input'],
  output: ['output'],
  cacheRead: ['cache_read', 'cached_input', 'cache_input'],
  cacheWrite: ['cache_write', 'cached_write'],
  audioInput: ['input_audio'],
  audioOutput: ['output_audio'],
  imageInput: ['input_image'],
  reasoning: ['reasoning'],
} as const;

/**
 * Entries out of a file that is built like models.dev's `api.json`: providers, their models, and what each costs, takes and gives. What it does not say
 * is left out, and so are prices of zero: whether a model is free, the operator decides.
 * Source of the format: https://github.com/anomalyco/models.dev#schema-reference
 */
export function entriesFromModelsDev(file: Json, { read }: { read: string }): ModelEntry[] {
  return Object.entries(file).flatMap(([provider, listed]) => {
    if (!isObject(listed)) return [];
    const models = isObject(listed.models) ? listed.models : listed;
    return Object.entries(models).flatMap(([name, facts]) => (isObject(facts) ? [entryOf({ provider, name, facts, read })] : []));
  });
}

function entryOf({ provider, name, facts, read }: { provider: string; name: string; facts: Json; read: string }): ModelEntry {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return withoutUndefined({
    name,
    provider,
    price: priceIn(facts),
    limits: limitsIn(facts.limit),
    modalities: modalitiesIn(facts.modalities),
    rules: rulesIn(facts.reasoning_options),
    released: typeof facts.release_date === 'string' ? facts.release_date : undefined,
    status: facts.status === 'beta' || facts.status === 'deprecated' ? (facts.status as 'beta' | 'deprecated') : undefined,
    source: `https://github.com/anomalyco/models.dev/blob/dev/providers/${provider}/models/${path}.toml`,
    read,
  });
}

function priceIn({ cost, modes, experimental }: Json): ListPrice | undefined {
  if (!isObject(cost)) return undefined;
  const { input, output, ...others } = pricesIn(cost);
  if (input === undefined || output === undefined || input === 0) return undefined;
  // A cached read of zero beside input that costs is a gap in the file, not a gift.
  const said = ([kind, dollars]: [string, number]) => (kind !== 'cacheRead' || dollars > 0) && (kind !== 'reasoning' || dollars !== output);
  const prices = Object.fromEntries(Object.entries(others).filter(said));
  const fast = modes ?? (experimental as Json | undefined)?.modes;
  const variants = [...tiersIn(cost.tiers), ...modesIn(fast)];
  return { input, output, ...prices, ...(variants.length > 0 && { variants }) };
}

function pricesIn(cost: Json): Partial<Record<keyof typeof classes, number>> {
  const prices: Partial<Record<keyof typeof classes, number>> = {};
  for (const [kind, names] of Object.entries(classes)) {
    const stated = names.map((one) => cost[one]).find((one) => typeof one === 'number' && one >= 0);
    if (stated !== undefined) prices[kind as keyof typeof classes] = stated as number;
  }
  return prices;
}

function tiersIn(tiers: unknown): PriceVariant[] {
  if (!Array.isArray(tiers)) return [];
  return (tiers as Json[]).flatMap((tier) => {
    const above = (tier.tier as Json | undefined)?.size;
    return typeof above === 'number' ? [{ when: { above }, ...pricesIn(tier) }] : [];
  });
}

/** A mode with its own price, which one field of the request asks for. */
function modesIn(modes: unknown): PriceVariant[] {
  if (!isObject(modes)) return [];
  return Object.values(modes).flatMap((mode) => {
    const { cost, provider } = mode as { cost?: Json; provider?: { body?: Json } };
    const [[field, value] = []] = Object.entries(provider?.body ?? {});
    return cost !== undefined && typeof value === 'string' ? [{ when: { field: `${field}=${value}` }, ...pricesIn(cost) }] : [];
  });
}

function limitsIn(limit: unknown): ModelEntry['limits'] {
  if (!isObject(limit)) return undefined;
  const known = Object.entries(limit).filter(([kind, count]) => ['context', 'input', 'output'].includes(kind) && Number(count) > 0);
  return known.length === 0 ? undefined : (Object.fromEntries(known) as ModelEntry['limits']);
}

function modalitiesIn(modalities: unknown): ModelEntry['modalities'] {
  const { input, output } = (isObject(modalities) ? modalities : {}) as { input?: string[]; output?: string[] };
  return Array.isArray(input) && Array.isArray(output) ? { input, output } : undefined;
}

/** Levels, budgets and switches; the form in which they are said is the family's. */
function rulesIn(options: unknown): ModelRules | undefined {
  if (!Array.isArray(options) || options.length === 0) return undefined;
  const reasoning: NonNullable<ModelRules['reasoning']> = {};
  for (const option of options as Json[]) {
    if (option.type === 'effort' && Array.isArray(option.values)) {
      reasoning.efforts = efforts.filter((effort) => (option.values as Effort[]).includes(effort));
    }
    if (option.type === 'budget_tokens') {
      const { min, max } = option as { min?: number; max?: number };
      reasoning.budget = { ...(min !== undefined && { least: min }), ...(max !== undefined && { most: max }) };
    }
    if (option.type === 'toggle') reasoning.off = true;
  }
  return Object.keys(reasoning).length === 0 ? undefined : { reasoning };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T;
}
