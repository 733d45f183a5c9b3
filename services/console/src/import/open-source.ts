import type { Source } from './source.ts';
import { openMysql } from './source-mysql.ts';
import { openPostgres } from './source-postgres.ts';
import { openSqlite } from './source-sqlite.ts';

/** Opens a SQLite file, `mysql://...` or `postgres://...`. Throws an Error that names no password. */
export async function openSource(from: string): Promise<Source> {
  if (/^(?:mysql|mariadb):\/\//.test(from)) return openMysql(from);
  if (/^postgres(?:ql)?:\/\//.test(from)) return openPostgres(from);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(from))
    throw new Error('--from must be the path of a SQLite file, or begin with mysql:// or postgres://');
  return openSqlite(from);
}
