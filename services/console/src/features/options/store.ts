import { isOptionKey, type OptionValues, optionKeys, optionRegistry, optionValue, optionValues } from '@tollgate/contracts';
import { OptionModel, unseal } from '@tollgate/db';

/** The options as they stand, kept in memory: read at start and after every notice that one has changed. */
export interface OptionStore {
  readonly values: OptionValues; // the same object until one of them changes
  /** What somebody has set, as text; secrets are in it. */
  readonly stored: ReadonlyMap<string, string>;
  reload(): Promise<void>;
}

export async function openOptionStore(): Promise<OptionStore> {
  let stored: ReadonlyMap<string, string> = await readStored();
  let values = optionValues(stored);
  return {
    get values() {
      return values;
    },
    get stored() {
      return stored;
    },
    async reload() {
      const fresh = await readStored();
      const changed = optionKeys.filter((key) => fresh.get(key) !== stored.get(key));
      stored = fresh;
      if (changed.length === 0) return;
      values = { ...values, ...Object.fromEntries(changed.map((key) => [key, optionValue(key, fresh.get(key))])) };
    },
  };
}

async function readStored(): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for (const { _id: key, value } of await OptionModel.find().lean()) {
    if (!isOptionKey(key)) continue; // of another version
    stored.set(key, optionRegistry[key].access === 'secret' && value !== '' ? unseal(value, `option:${key}`) : value);
  }
  return stored;
}
