import type { RowBefore } from '@tollgate/db';
import { type BulkCollection, changeRows, type Versioned } from '../row-change.ts';

/**
 * Gives rows back what stood in them before a deed, those in which nobody has changed the same fields since and which `may` lets.
 * Returns the rows, as the deed had left them, that are what they were.
 */
export async function putBack<Row extends Versioned>(
  collection: BulkCollection<Row>,
  kept: readonly RowBefore[],
  may: (row: Row) => boolean = () => true,
): Promise<Row[]> {
  if (kept.length === 0) return [];
  const byRow = new Map(kept.map((each) => [String(each.row), each]));
  const rows = await collection.find({ _id: { $in: kept.map(({ row }) => row) } }).lean();
  const changed = await changeRows(collection, rows, (row) => {
    const each = byRow.get(String(row._id));
    const isAsLeft = each?.fields.every((name) => row.changes?.[name] === each.version);
    if (!each || !isAsLeft || !may(row)) return {};
    return Object.fromEntries(each.fields.map((name) => [name, each.before[name]])) as Partial<Row>;
  });
  return changed.map(({ before }) => before);
}
