import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { readLitellm } from './litellm/read-litellm.ts';
import { openExport } from './open-export.ts';
import { isOneHub, openOneHub } from './open-one-hub.ts';
import { exportTable } from './portable.ts';
import { type Source, type SourceRow, type SourceSecrets, tablesOf } from './source.ts';

/** Opens a SQLite file, `mysql://...` or `postgres://...`. Throws an Error that names no password. */
export async function openSource(from: string, secrets: SourceSecrets = {}): Promise<Source> {
  const source = await openDatabase(from);
  try {
    if (source.tables.has(exportTable)) return await openExport(source, secrets);
    if (source.tables.has('LiteLLM_VerificationToken')) return await readLitellm(source, secrets);
    if (isOneHub(source)) return await openOneHub(source);
    return source;
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function openDatabase(from: string): Promise<Source> {
  if (/^(?:mysql|mariadb):\/\//.test(from)) return openMysql(from);
  if (/^postgres(?:ql)?:\/\//.test(from)) return openPostgres(from);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(from))
    throw new Error('--from must be the path of a SQLite file, or begin with mysql:// or postgres://');
  return openSqlite(from);
}

/** Opens a MySQL or MariaDB database: mysql://user:password@host:3306/name. */
async function openMysql(from: string): Promise<Source> {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({
    uri: from.replace(/^mariadb:/, 'mysql:'),
    charset: 'utf8mb4',
    dateStrings: true,
    jsonStrings: true,
    supportBigNumbers: true,
    connectTimeout: 10_000,
  }).catch((cause: Error) => {
    throw new Error(`--from: the MySQL server does not let us in: ${cause.message}`, { cause });
  });
  const select = async (sql: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> => {
    const [rows] = await connection.query(sql.replaceAll('"', '`'), [...values]);
    return rows as SourceRow[];
  };
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
  const columns = await select(
    'SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = DATABASE()',
  );
  return { tables: tablesOf(columns), select, close: () => connection.end() };
}

/** Opens a PostgreSQL database: postgres://user:password@host:5432/name. Every value comes as text. */
async function openPostgres(from: string): Promise<Source> {
  const { Client } = (await import('pg')).default;
  const client = new Client({
    connectionString: from,
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser: () => (text: string) => text },
  });
  client.on('error', () => undefined); // the query under way fails with it
  await client.connect().catch((cause: Error) => {
    throw new Error(`--from: the PostgreSQL server does not let us in: ${cause.message}`, { cause });
  });
  const select = async (sql: string, values: readonly (string | number)[] = []): Promise<SourceRow[]> => {
    let at = 0;
    const numbered = sql.replaceAll('?', () => {
      at += 1;
      return `$${at}`;
    });
    return (await client.query(numbered, [...values])).rows as SourceRow[];
  };
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const columns = await select(
    'SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = current_schema()',
  );
  return { tables: tablesOf(columns), select, close: () => client.end() };
}

/** Opens a SQLite file. Throws an Error where there is none, or it holds something else. */
async function openSqlite(path: string): Promise<Source> {
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
