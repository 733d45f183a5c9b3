import { namedEntry } from '@tollgate/contracts';

/** Where the longest answers of models stand: what the operator set, what the catalog knows, and what the options came with. */
export interface MaxOutputTables {
  own: Readonly<Record<string, number>>;
  listed(model: string): number | undefined;
  table: Readonly<Record<string, number>>;
}

/**
 * The longest answer of a model, in tokens, hidden reasoning included; undefined when nobody knows it. A name with a slash may stand under its last
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
