/** The entry of a name in a list of models, else the one of the longest `prefix*` that fits it. */
export function namedEntry<T>(table: Readonly<Record<string, T>>, model: string): T | undefined {
  if (Object.hasOwn(table, model)) return table[model];
  let best: string | undefined;
  for (const name of wildcardsOf(table)) {
    if (model.startsWith(name.slice(0, -1)) && name.length > (best?.length ?? 0)) best = name;
  }
  return best === undefined ? undefined : table[best];
}

const wildcards = new WeakMap<object, string[]>();

function wildcardsOf(table: Readonly<Record<string, unknown>>): string[] {
  let names = wildcards.get(table);
  if (!names) {
    names = Object.keys(table).filter((name) => name.endsWith('*'));
    wildcards.set(table, names);
  }
  return names;
}
