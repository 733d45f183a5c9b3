import { type OptionValues, optionValues } from '@tollgate/contracts';
import { OptionModel } from '@tollgate/db';
import { maxOutputOf, type Price, pricesFrom, pricesOf } from '@tollgate/pricing';
import { type WordMatcher, wordMatcher } from '../enter/word-matcher.ts';

/** The options at one moment, with what is made of them once a change instead of once a call. */
export interface Settings {
  options: OptionValues;
  /** undefined: nothing is checked. */
  hasSensitiveWord: WordMatcher | undefined;
  /** undefined: the model has no price and is refused. */
  price(model: string, group: string): Price | undefined;
  /** The longest answer of a model, in tokens; undefined: nobody knows. */
  maxOutput(model: string): number | undefined;
}

/** Reads all options. Rejects when the database does not answer. */
export async function loadSettings(): Promise<Settings> {
  const stored = await OptionModel.find().lean();
  return settingsFrom(optionValues(new Map(stored.map(({ _id, value }) => [_id, value]))));
}

export function settingsFrom(options: OptionValues): Settings {
  const tables = pricesFrom(options);
  const priceIn = remembered((group: string) => remembered((model: string) => pricesOf(model, group, tables)));
  const checksWords = options.CheckSensitiveEnabled && options.CheckSensitiveOnPromptEnabled && options.SensitiveWords.length > 0;
  return {
    options,
    hasSensitiveWord: checksWords ? wordMatcher(options.SensitiveWords) : undefined,
    price: (model, group) => priceIn(group)(model),
    maxOutput: remembered((model: string) => maxOutputOf(model, options.ModelMaxOutput)),
  };
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
