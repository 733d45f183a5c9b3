import { namedEntry } from '@tollgate/contracts';

/** Sources of the maximum output of models: the operator's entries, the catalog, and the default options. */
export interface MaxOutputTables {
  own: Readonly<Record<string, number>>;
  listed(model: string): number | undefined;
  table: Readonly<Record<string, number>>;
}

/**
 * Maximum output of a model in tokens, hidden reasoning included; undefined when unknown. A name with a slash may be listed under its last
 * part.
 */
export function maxOutputOf(model: string, { own, listed, table }: MaxOutputTables): number | undefined {
  const short = model.slice(model.lastIndexOf('/') + 1);
  return (
    namedEntry(own, model) ??
    namedEntry(own, short) ??
    listed(model) ??
    listed(short) ??
    namedEntry(table, model) ??
    namedEntry(table, short)
  );
}
