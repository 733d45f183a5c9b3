import { type Source, type SourceRow, tablesOf } from './source.ts';

/** Opens a MySQL or MariaDB database: mysql://user:password@host:3306/name. */
export async function openMysql(from: string): Promise<Source> {
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
