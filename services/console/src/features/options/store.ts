import { isOptionKey, type OptionValues, optionRegistry, optionValues } from '@tollgate/contracts';
import { OptionModel, unseal } from '@tollgate/db';

/** The options as they stand, kept in memory: read at start and after every notice that one has changed. */
export interface OptionStore {
  readonly values: OptionValues;
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
      stored = await readStored();
      values = optionValues(stored);
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
