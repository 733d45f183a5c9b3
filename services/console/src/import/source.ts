import type { ImportBody } from '@tollgate/contracts';
import { exportTable } from './portable.ts';
import type { Line } from './report.ts';

export type SourceRow = Record<string, unknown>;

/** The database of another gateway, read in one snapshot and never written. */
export interface Source {
  /** Set where the reader knows it; otherwise `productOf` derives it from the tables. */
  product?: Product;
  /** The columns of each table. */
  tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** Runs one SELECT. `"name"` quotes a name and `?` stands for a value, whatever the database is. */
  select(sql: string, values?: readonly (string | number)[]): Promise<SourceRow[]>;
  close(): Promise<void>;
  /** What its reader changed or left out. */
  notes?: { changed: Line[]; leftOut: Line[] };
}

const rowsAtOnce = 500;

/** What a source needs besides its address. */
export interface SourceSecrets {
  /** The passphrase of an export of Tollgate, or LiteLLM's salt key. */
  secret?: string | undefined;
  /** US dollars for each account of LiteLLM that has no limit there. */
  grant?: number | undefined;
  logs?: ImportBody['logs'] | undefined;
}

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

export type Product = 'one-api' | 'new-api' | 'one-hub' | 'litellm' | 'tollgate';

/** Tables that hold nothing of their own: abilities are computed from channels, the others count, cache or lock. */
const derived = new Set([
  'abilities',
  'setups',
  'perf_metrics',
  'system_instances',
  'quota_data',
  'user_sessions',
  'auth_flows',
  'casbin_rule',
  exportTable,
]);
const imported = new Set(['users', 'tokens', 'channels', 'redemptions', 'options', 'top_ups', 'two_fas', 'logs', 'budgets', 'passkeys']);

/** Tells the product by its columns. Throws an Error for a database of something else. */
export function productOf({ product, tables }: Source): Product {
  if (product !== undefined) return product;
  const has = (table: string, column: string) => tables.get(table)?.has(column) === true;
  const isOfFamily = has('users', 'quota') && has('tokens', 'remain_quota') && has('channels', 'models') && has('options', 'value');
  if (!isOfFamily)
    throw new Error(
      '--from: this is a database of none of the products that can be imported: users, tokens, channels or options are missing.',
    );
  if (has('users', 'aff_quota') && has('tokens', 'deleted_at') && has('tokens', 'model_limits')) return 'new-api';
  if (!has('users', 'aff_quota') && !has('tokens', 'deleted_at') && !tables.has('user_groups')) return 'one-api';
  throw new Error('--from: this database belongs to another product of the family, which cannot be imported.');
}

/** Tables that an import leaves out although they hold something. */
export function otherTables({ tables }: Source): string[] {
  return [...tables.keys()].filter((table) => !derived.has(table) && !imported.has(table)).sort();
}
