import { isOptionKey, type OptionKey, type OptionValues, optionKeys, optionRegistry, optionValue, optionValues } from '@tollgate/contracts';
import { OptionModel, unseal } from '@tollgate/db';
import type { Stale } from '@tollgate/runtime';

/** The options as of the last read. */
export interface OptionStore {
  /** Replaced by a new object when an option changes. Unchanged options keep their values by identity. */
  readonly values: OptionValues;
  /** The values that were set, as text; includes secrets. */
  readonly stored: ReadonlyMap<OptionKey, string>;
  /**
   * Reads these options again and resolves when they are in `values`. Reads run one after the other. Rejects when the database does not
   * answer.
   */
  read(keys?: Stale<string>): Promise<OptionValues>;
}

/**
 * Reads the stored options. An invalid value gets its default. With `keys`, reads only those; the others have their defaults. Throws when a
 * secret is sealed with another master key, and names the option.
 */
export async function openOptions({ keys = optionKeys }: { keys?: readonly OptionKey[] } = {}): Promise<OptionStore> {
  const kept = new Set<string>(keys);
  let sealed: ReadonlyMap<OptionKey, string> = new Map();
  let stored: ReadonlyMap<OptionKey, string> = new Map();
  let values = optionValues(stored);
  let reading: Promise<unknown> = Promise.resolve();

  async function readNow(stale: Stale<string>): Promise<OptionValues> {
    const asked = (stale === 'all' ? keys : [...stale].filter(isOptionKey)).filter((key) => kept.has(key));
    const rows = await OptionModel.find({ _id: { $in: asked } })
      .select('value')
      .lean();
    const found = new Map(rows.map(({ _id, value }) => [_id as OptionKey, value]));
    const changed = asked.filter((key) => found.get(key) !== sealed.get(key));
    if (changed.length === 0) return values;
    const texts = new Map(changed.map((key) => [key, textOf(key, found.get(key))]));
    sealed = changedMap(sealed, new Map(changed.map((key) => [key, found.get(key)])));
    stored = changedMap(stored, texts);
    values = { ...values, ...Object.fromEntries(changed.map((key) => [key, optionValue(key, texts.get(key))])) };
    return values;
  }

  const store: OptionStore = {
    get values() {
      return values;
    },
    get stored() {
      return stored;
    },
    read(stale = 'all') {
      const read = reading.then(() => readNow(stale));
      reading = read.catch(() => undefined); // the caller gets the error
      return read;
    },
  };
  await store.read();
  return store;
}

function textOf(key: OptionKey, value: string | undefined): string | undefined {
  if (value === undefined || value === '' || optionRegistry[key].access !== 'secret') return value;
  return unseal(value, `option:${key}`);
}

function changedMap<Key>(before: ReadonlyMap<Key, string>, changes: ReadonlyMap<Key, string | undefined>): Map<Key, string> {
  const after = new Map(before);
  for (const [key, value] of changes) {
    if (value === undefined) after.delete(key);
    else after.set(key, value);
  }
  return after;
}
