import { isDeepStrictEqual } from 'node:util';
import { Refusal } from './http/answer.ts';

/** A row that counts its changes (`versioned` in `@tollgate/db`); older ones have not begun. */
export interface Versioned {
  _id: unknown;
  version?: number | null;
  changes?: Record<string, number> | null;
}

interface Collection {
  updateOne(filter: object, update: object): PromiseLike<{ matchedCount: number }>;
}

export interface BulkCollection<Row> {
  // biome-ignore lint/suspicious/noExplicitAny: the collections' own types differ in their rows only
  bulkWrite(operations: any[], options: { ordered: false }): PromiseLike<{ matchedCount: number }>;
  find(filter: object): { lean(): PromiseLike<Row[]> };
}

/** A row that was changed: as it was, what of it is different now, and the version that this made. */
export interface ChangedRow<Row> {
  before: Row;
  changed: (keyof Row & string)[];
  version: number;
}

export interface RowChange<Row> {
  /** The row as it stands; throws when it is not there. Asked again when somebody else was quicker. */
  read(): Promise<Row>;
  /** The fields wanted, of the row as it stands, `undefined` for one that has to go; throws what speaks against it. */
  fields(row: Row): Partial<Row> | Promise<Partial<Row>>;
  /** The version that an editor had loaded, and what he is shown of the row on a conflict; without a version nothing is one. */
  editing?: { seen: number | undefined; view(row: Row): Promise<unknown> };
}

/** Somebody else has changed a field since the editor loaded it; `data` is the row that stands there now. */
export class Conflict extends Refusal {
  constructor(row: unknown) {
    super('conflict', {}, row);
  }
}

/**
 * Sets those fields of one row that differ, and counts the change. Two changes at once are made one after the other, each on what
 * the other left. Returns the row before and after, and the names of the fields that are different now.
 */
export async function changeRow<Row extends Versioned>(
  collection: Collection,
  { read, fields, editing }: RowChange<Row>,
): Promise<ChangedRow<Row> & { after: Row }> {
  for (;;) {
    const before = await read();
    const wanted = await fields(before);
    const changed = differing(before, wanted);
    if (changed.length === 0) return { before, after: before, changed, version: before.version ?? 0 };
    const lastChangeOf = (name: string): number => before.changes?.[name] ?? 0;
    const { seen, view } = editing ?? {};
    if (view && seen !== undefined && changed.some((name) => lastChangeOf(name) > seen)) throw new Conflict(await view(before));

    const { filter, update, version } = writeOf(before, wanted, changed);
    const { matchedCount } = await collection.updateOne(filter, update);
    if (matchedCount === 1) return { before, after: { ...before, ...wanted, version }, changed, version };
  }
}

/**
 * The same for many rows, as they were read, in one write; those that somebody else changed meanwhile are read and written again.
 * Returns the rows that are different now.
 */
export async function changeRows<Row extends Versioned>(
  collection: BulkCollection<Row>,
  rows: readonly Row[],
  fields: (row: Row) => Partial<Row>,
): Promise<ChangedRow<Row>[]> {
  const done = new Map<string, ChangedRow<Row>>();
  for (let open = rows; open.length > 0; ) {
    const writes = open.flatMap((row) => {
      const wanted = fields(row);
      const changed = differing(row, wanted);
      return changed.length > 0 ? [{ row, changed, ...writeOf(row, wanted, changed) }] : [];
    });
    if (writes.length === 0) break;
    for (const { row, changed, version } of writes) done.set(String(row._id), { before: row, changed, version });
    const operations = writes.map(({ filter, update }) => ({ updateOne: { filter, update } }));
    const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
    if (matchedCount === writes.length) break;
    open = await collection.find({ _id: { $in: writes.map(({ row }) => row._id) } }).lean();
    const marks = new Map(open.map(({ _id, changes }) => [String(_id), changes ?? {}]));
    for (const { row, changed, version } of writes) {
      const mark = marks.get(String(row._id));
      // Whoever was quicker on the same row, as it was read here, has left the same number.
      const isOthers = matchedCount === 0 || (mark !== undefined && !changed.some((name) => mark[name] === version));
      if (isOthers) done.delete(String(row._id)); // written again, or not at all
    }
  }
  return [...done.values()];
}

function differing<Row>(before: Row, wanted: Partial<Row>): (keyof Row & string)[] {
  return (Object.keys(wanted) as (keyof Row & string)[]).filter((name) => !isDeepStrictEqual(before[name], wanted[name]));
}

/** The write that sets fields of a row, and counts the change, while it is still as it was read. */
function writeOf<Row extends Versioned>(before: Row, wanted: Partial<Row>, changed: (keyof Row & string)[]) {
  const version = (before.version ?? 0) + 1;
  const marks = Object.fromEntries(changed.map((name) => [`changes.${name}`, version]));
  const isKept = (name: keyof Row): boolean => wanted[name] !== undefined;
  const values = Object.fromEntries(changed.filter(isKept).map((name) => [name, wanted[name]]));
  const gone = Object.fromEntries(changed.filter((name) => !isKept(name)).map((name) => [name, 1]));
  return {
    version,
    filter: { _id: before._id, version: before.version ?? null },
    update: { $set: { ...values, ...marks, version }, ...(Object.keys(gone).length > 0 && { $unset: gone }) },
  };
}
