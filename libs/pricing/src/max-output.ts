import { namedEntry } from '@tollgate/contracts';

/**
 * The longest answer of a model, in tokens, hidden reasoning included; undefined when the table does not know it. A name with
 * a slash may stand under its last part.
 */
export function maxOutputOf(model: string, table: Readonly<Record<string, number>>): number | undefined {
  return namedEntry(table, model) ?? namedEntry(table, lastPartOf(model));
}

function lastPartOf(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}
