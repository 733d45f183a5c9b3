import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Source, tablesOf } from './source.ts';

/** Opens a SQLite file. Throws an Error where there is none, or it holds something else. */
export async function openSqlite(path: string): Promise<Source> {
  if (!existsSync(path)) throw new Error(`--from: there is no file ${path}`);
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    database.exec('BEGIN');
    const select = (sql: string, values: readonly SQLInputValue[] = []) => {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all(...values) as Record<string, unknown>[];
    };
    const tables = tablesOf(
      select(
        `SELECT m.name AS "table", c.name AS "column" FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
      ),
    );
    return {
      tables,
      select: async (sql, values) => select(sql, values),
      close: async () => database.close(),
    };
  } catch (cause) {
    throw new Error(
      `--from: ${path} cannot be read as a SQLite database (${(cause as Error).message}). Stop the old gateway first, and copy the file together with its -wal file.`,
      { cause },
    );
  }
}
