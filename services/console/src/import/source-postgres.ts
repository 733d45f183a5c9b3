import { type Source, type SourceRow, tablesOf } from './source.ts';

/** Opens a PostgreSQL database: postgres://user:password@host:5432/name. Every value comes as text. */
export async function openPostgres(from: string): Promise<Source> {
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
