export type SourceRow = Record<string, unknown>;

/** The database of another gateway, read in one snapshot and never written. */
export interface Source {
  /** The columns of each table. */
  tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Runs one SELECT. `"name"` quotes a name and `?` stands for a value, whatever the database is. */
  select(sql: string, values?: readonly (string | number)[]): Promise<SourceRow[]>;
  close(): Promise<void>;
}

const rowsAtOnce = 500;

/** All rows of a table by ascending id, a page at a time; none where there is no such table. */
export async function* pagesOf(source: Source, table: string): AsyncGenerator<SourceRow[]> {
  if (!source.tables.has(table)) return;
  for (let last = -1; ; ) {
    const rows = await source.select(`SELECT * FROM "${table}" WHERE "id" > ? ORDER BY "id" LIMIT ${rowsAtOnce}`, [last]);
    const newest = rows.at(-1);
    if (newest === undefined) return;
    yield rows;
    last = Number(newest.id);
  }
}

/** What one SELECT of aggregates answers, as numbers. */
export async function numbersOf(source: Source, sql: string): Promise<Record<string, number>> {
  const [row = {}] = await source.select(sql);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value ?? 0)]));
}

/** Rows of `table name, column name` as the columns of each table. */
export function tablesOf(columns: readonly SourceRow[]): Map<string, Set<string>> {
  const tables = new Map<string, Set<string>>();
  for (const { table, column } of columns) {
    const known = tables.get(String(table)) ?? new Set();
    tables.set(String(table), known.add(String(column)));
  }
  return tables;
}
