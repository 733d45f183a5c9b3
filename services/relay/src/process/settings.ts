import { type OptionValues, optionValues, type PriceUsed } from '@tollgate/contracts';
import { OptionModel } from '@tollgate/db';
import { type PriceTables, priceOf, pricesFrom } from '@tollgate/pricing';
import { type WordMatcher, wordMatcher } from '../enter/word-matcher.ts';

/** The options at one moment, with what is made of them once a change instead of once a call. */
export interface Settings {
  options: OptionValues;
  /** undefined: nothing is checked. */
  hasSensitiveWord: WordMatcher | undefined;
  /** undefined: the model has no price and is refused. */
  price(model: string, group: string): PriceUsed | undefined;
}

/** Reads all options. Rejects when the database does not answer. */
export async function loadSettings(): Promise<Settings> {
  const stored = await OptionModel.find().lean();
  return settingsFrom(optionValues(new Map(stored.map(({ _id, value }) => [_id, value]))));
}

export function settingsFrom(options: OptionValues): Settings {
  const tables = pricesFrom(options);
  const checksWords = options.CheckSensitiveEnabled && options.CheckSensitiveOnPromptEnabled && options.SensitiveWords.length > 0;
  return { options, hasSensitiveWord: checksWords ? wordMatcher(options.SensitiveWords) : undefined, price: rememberedPrices(tables) };
}

const mostRemembered = 10_000;

function rememberedPrices(tables: PriceTables): Settings['price'] {
  const groups = new Map<string, Map<string, PriceUsed>>();
  let count = 0;
  return (model, group) => {
    const known = groups.get(group)?.get(model);
    if (known !== undefined) return known;
    const price = priceOf(model, group, tables);
    if (price === undefined) return undefined;
    if (count >= mostRemembered) groups.clear(); // names that callers make up must not fill the memory
    count = count >= mostRemembered ? 1 : count + 1;
    const models = groups.get(group) ?? new Map<string, PriceUsed>();
    groups.set(group, models.set(model, price));
    return price;
  };
}
