import { type CallLimits, defaultPrices, namedEntry, type OptionKey, type OptionValues } from '@tollgate/contracts';
import { factsOf, useCatalog } from '@tollgate/contracts/catalog';
import { maxOutputOf, ownEntries, type Price, pricesFrom, pricesOf } from '@tollgate/pricing';
import { type LimitRule, type LimitRules, limitRules } from '@tollgate/wallet';
import { type WordMatcher, wordMatcher } from './word-matcher.ts';

/** The options at one moment, with what is made of them once a change instead of once a call. */
export interface Settings {
  options: OptionValues;
  /** undefined: nothing is checked. */
  hasSensitiveWord: WordMatcher | undefined;
  /** The same of answers. */
  stopsAnswer: WordMatcher | undefined;
  /** At the instant when a call began, in ms since 1970 on Redis's clock. undefined: the model has no price and is refused. */
  price(model: string, group: string, atMs: number): Price | undefined;
  /** The longest answer of a model, in tokens; undefined: nobody knows. */
  maxOutput(model: string): number | undefined;
  /** Names that cost nothing, also such with a `*`. */
  freeModels: readonly string[];
  limits: LimitSettings;
}

const limitOptions = [
  ...(['UserLimits', 'GroupLimits', 'ModelLimits', 'LimitShadowEnabled', 'ModelRequestRateLimitEnabled'] as const),
  ...(['ModelRequestRateLimitDurationMinutes', 'ModelRequestRateLimitCount', 'ModelRequestRateLimitSuccessCount'] as const),
];
const priceOptions = [
  ...([
    'ModelRatio',
    'ModelPrice',
    'CompletionRatio',
    'CacheRatio',
    'AudioCacheRatio',
    'CreateCacheRatio',
    'LongContextPrice',
    'GroupRatio',
  ] as const),
  ...(['ImageRatio', 'ImageCompletionRatio', 'AudioRatio', 'AudioCompletionRatio', 'PiecePrice'] as const),
  ...(['QuotaPerUnit', 'SelfUseModeEnabled', 'UnpricedModelRatio', 'RequestFieldRatio', 'ModelCatalog'] as const),
];

/** What is made of these options; what follows from none that has changed since `before` stays. */
export async function settingsFrom(options: OptionValues, before?: Settings): Promise<Settings> {
  if (options === before?.options) return before;
  useCatalog(options.ModelCatalog);
  const unless = (...keys: OptionKey[]) => (keys.every((key) => options[key] === before?.options[key]) ? before : undefined);
  const sameWords = unless('CheckSensitiveEnabled', 'CheckSensitiveOnPromptEnabled', 'StopOnSensitiveEnabled', 'SensitiveWords');
  return {
    options,
    ...(sameWords === undefined
      ? await wordsOf(options)
      : { hasSensitiveWord: sameWords.hasSensitiveWord, stopsAnswer: sameWords.stopsAnswer }),
    price: unless(...priceOptions)?.price ?? pricesBy(options),
    maxOutput: unless('ModelMaxOutput', 'ModelCatalog')?.maxOutput ?? maxOutputBy(options),
    limits: unless(...limitOptions)?.limits ?? limitSettings(options),
    freeModels: unless('ModelRatio', 'ModelPrice')?.freeModels ?? freeModelsIn(options),
  };
}

async function wordsOf(options: OptionValues): Promise<Pick<Settings, 'hasSensitiveWord' | 'stopsAnswer'>> {
  const { CheckSensitiveEnabled, CheckSensitiveOnPromptEnabled: inPrompts, StopOnSensitiveEnabled: inAnswers, SensitiveWords } = options;
  const isOn = CheckSensitiveEnabled && (inPrompts || inAnswers) && SensitiveWords.length > 0;
  const matcher = isOn ? await wordMatcher(SensitiveWords) : undefined;
  return { hasSensitiveWord: inPrompts ? matcher : undefined, stopsAnswer: inAnswers ? matcher : undefined };
}

function pricesBy(options: OptionValues): Settings['price'] {
  const tables = pricesFrom(options, factsOf);
  const priceIn = remembered((group) => remembered((model) => inTime((atMs) => pricesOf(model, { group, atMs }, tables))));
  return (model, group, atMs) => priceIn(group)(model)(atMs);
}

/** A price that is made anew for an instant outside the time in which it holds. */
function inTime(find: (atMs: number) => Price | undefined): (atMs: number) => Price | undefined {
  let price: Price | undefined;
  let isFound = false;
  return (atMs) => {
    const { fromMs, untilMs } = price ?? {};
    const holds = isFound && (fromMs === undefined || atMs >= fromMs) && (untilMs === undefined || atMs < untilMs);
    if (!holds) price = find(atMs);
    isFound = true;
    return price;
  };
}

function maxOutputBy({ ModelMaxOutput: table }: OptionValues): Settings['maxOutput'] {
  const own = ownEntries(table, defaultPrices.maxOutputTokens);
  return remembered((model) => maxOutputOf(model, { own, table, listed: (name) => factsOf(name)?.limits.output }));
}

function freeModelsIn({ ModelRatio, ModelPrice }: OptionValues): string[] {
  return [ModelRatio, ModelPrice].flatMap((prices) => Object.keys(prices).filter((model) => prices[model] === 0));
}

const mostRemembered = 10_000;

/** The same function, which looks a name up once. */
function remembered<Value>(find: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined || known.has(name)) return found as Value;
    const value = find(name);
    if (known.size >= mostRemembered) known.clear(); // names that callers make up must not fill the memory
    known.set(name, value);
    return value;
  };
}

/** What the options limit. */
interface LimitSettings {
  /** Of each user. */
  user: LimitRules | undefined;
  group: RulesByName | undefined;
  model: RulesByName | undefined;
  /** Limits count, and refuse nothing. */
  isShadow: boolean;
}

type RulesByName = (name: string) => LimitRules | undefined;

function limitSettings(options: OptionValues): LimitSettings {
  return {
    user: limitRules(options.UserLimits, requestLimits(options)),
    group: rulesByName(options.GroupLimits),
    model: rulesByName(options.ModelLimits),
    isShadow: options.LimitShadowEnabled,
  };
}

/** undefined: no name is limited, and nothing has to be looked up. */
function rulesByName(table: Readonly<Record<string, CallLimits>>): RulesByName | undefined {
  const rules = Object.fromEntries(Object.entries(table).map(([name, limits]) => [name, { of: limitRules(limits) }]));
  return Object.values(rules).some(({ of }) => of !== undefined) ? (name) => namedEntry(rules, name)?.of : undefined;
}

/** The limit of requests of each user in a period of its own length. */
function requestLimits(options: OptionValues): LimitRule[] {
  const minutes = options.ModelRequestRateLimitDurationMinutes;
  if (!options.ModelRequestRateLimitEnabled || minutes === 0) return [];
  const period = minutes === 1 ? 'minute' : `${minutes}_minutes`;
  const windowMs = minutes * 60_000;
  return [
    { name: `requests_per_${period}`, kind: 'r', windowMs, limit: options.ModelRequestRateLimitCount },
    { name: `successful_requests_per_${period}`, kind: 's', windowMs, limit: options.ModelRequestRateLimitSuccessCount },
  ];
}
