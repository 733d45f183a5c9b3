import type { DatabaseSync } from 'node:sqlite';

export type Row = Record<string, string | number | null>;

/** A function that writes rows with these columns into a table of a SQLite file; what a row lacks is NULL. */
export function insertInto(database: DatabaseSync, table: string, columns: readonly string[]): (row: Row) => void {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const statement = database.prepare(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
  return (row) => void statement.run(...columns.map((column) => row[column] ?? null));
}
