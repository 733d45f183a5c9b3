import { type OptionValues, optionValues, type PriceUsed } from '@tollgate/contracts';
import { OptionModel } from '@tollgate/db';
import { type PriceTables, priceOf, pricesFrom } from '@tollgate/pricing';
import { type WordMatcher, wordMatcher } from './word-matcher.ts';

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
  const remembered = new Map<string, PriceUsed | undefined>();
  return (model, group) => {
    const key = `${group} ${model}`;
    if (remembered.has(key)) return remembered.get(key);
    if (remembered.size >= mostRemembered) remembered.clear(); // names that callers make up must not fill the memory
    const price = priceOf(model, group, tables);
    remembered.set(key, price);
    return price;
  };
}
