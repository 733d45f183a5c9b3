import { DatabaseSync } from 'node:sqlite';
import { insertInto, type Row } from '../insert-into.ts';
import type { Line } from '../report.ts';
import type { Source, SourceRow } from '../source.ts';

/** Tables of the product family that are filled from another product's, so that one import reads both. */
export interface FamilyDatabase {
  /** Adds a row; returns its id. */
  add(table: string, row: Row): number;
  count(table: string): number;
  changed(kind: Line['kind'], which: string, text: string): void;
  leftOut(kind: Line['kind'], which: string, text: string): void;
  finished(): Promise<Source>;
}

const columns: Readonly<Record<string, string>> = {
  users:
    'id integer PRIMARY KEY, ref text, username text, display_name text, role integer, status integer, email text, quota integer, used_quota integer, "group" text, created_at integer, own text',
  tokens:
    'id integer PRIMARY KEY, ref text, user_id integer, key text, key_hash text, status integer, name text, created_time integer, expired_time integer, remain_quota integer, unlimited_quota integer, used_quota integer, model_limits_enabled integer, model_limits text, "group" text, own text',
  channels:
    'id integer PRIMARY KEY, ref text, type integer, key text, status integer, name text, created_time integer, base_url text, other text, models text, "group" text, model_mapping text, own text',
  options: 'id integer PRIMARY KEY, key text, value text',
  budgets: 'id integer PRIMARY KEY, ref text, subject text, subject_id text, own text',
  logs: 'id integer PRIMARY KEY, ref text, user_id integer, created_at integer, type integer, username text, token_name text, model_name text, quota integer, prompt_tokens integer, completion_tokens integer, elapsed_time integer',
};

/** Tables of LiteLLM that are read, or whose rows follow from others. */
const read = new Set(
  'BudgetTable CredentialsTable ProxyModelTable TeamTable UserTable VerificationToken SpendLogs TeamMembership Config'
    .split(' ')
    .map((name) => `LiteLLM_${name}`),
);

export function openFamilyDatabase(source: Source): FamilyDatabase {
  const database = new DatabaseSync(''); // a file of its own, which goes with the connection
  const counts = new Map<string, number>();
  const inserts = new Map<string, (row: Row) => void>();
  const notes: NonNullable<Source['notes']> = { changed: [], leftOut: [] };
  for (const [name, list] of Object.entries(columns)) database.exec(`CREATE TABLE ${name} (${list})`);

  function add(table: string, row: Row): number {
    const id = (counts.get(table) ?? 0) + 1;
    counts.set(table, id);
    const names = ['id', ...Object.keys(row)];
    const kind = `${table} ${names.join()}`;
    const insert = inserts.get(kind) ?? insertInto(database, table, names);
    inserts.set(kind, insert);
    insert({ id, ...row });
    return id;
  }

  async function noteOtherTables(): Promise<void> {
    for (const table of [...source.tables.keys()].filter((name) => name.startsWith('LiteLLM_') && !read.has(name)).sort()) {
      const [row] = await source.select(`SELECT COUNT(*) AS "rows" FROM "${table}"`);
      if (Number(row?.rows) > 0) notes.leftOut.push({ kind: 'table', which: table, text: `${Number(row?.rows)} rows stay at the source` });
    }
  }

  return {
    add,
    count: (table) => counts.get(table) ?? 0,
    changed: (kind, which, text) => void notes.changed.push({ kind, which, text }),
    leftOut: (kind, which, text) => void notes.leftOut.push({ kind, which, text }),
    async finished() {
      await noteOtherTables();
      const tables = new Map(
        Object.entries(columns).map(([name, list]) => [
          name,
          new Set(list.split(', ').map((each) => each.split(' ')[0]?.replaceAll('"', '') ?? '')),
        ]),
      );
      return {
        ...{ product: 'litellm' as const, tables, notes },
        async select(sql, values = []) {
          const statement = database.prepare(sql);
          statement.setReadBigInts(true);
          return statement.all(...values) as SourceRow[];
        },
        async close() {
          database.close();
          await source.close();
        },
      };
    },
  };
}
