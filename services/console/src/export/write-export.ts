import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Order, Redemption, User } from '@tollgate/db';
import { insertInto, type Row } from '../import/insert-into.ts';
import { exportFormat, exportTable, newSalt, type Portable, portableWith, secretColumns } from '../import/portable.ts';
import { type ExportTable, exportTables, logTable } from './tables.ts';

export interface ExportRequest {
  /** The file to make. It is readable by its owner only. */
  path: string;
  /** What the secrets in it are encrypted with. */
  passphrase: string;
  logs: boolean;
}

const rowsAtOnce = 500;

/**
 * Writes users with their balances, tokens, channels, options, codes, orders and budgets into a SQLite file that an import reads. Returns
 * how many rows of each table. Throws an Error where the file exists; a file that is not whole is removed.
 */
export async function writeExport({ path, passphrase, logs }: ExportRequest): Promise<Record<string, number>> {
  await refuseOwed();
  const part = `${path}.part`;
  rmSync(part, { force: true });
  for (const each of [path, part]) closeSync(openSync(each, 'wx', 0o600));
  const salt = newSalt();
  const portable = portableWith(passphrase, salt);
  const database = new DatabaseSync(part);
  try {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    const counts: Record<string, number> = {};
    const head = { format: exportFormat, salt, proof: 'tollgate', created_at: Math.floor(Date.now() / 1000) };
    const first: ExportTable = {
      columns: 'format integer, salt text, proof text, created_at integer',
      rows: async function* () {
        yield head;
      },
    };
    const tables = { [exportTable]: first, ...exportTables, ...(logs && { logs: logTable }) };
    for (const [name, table] of Object.entries(tables)) counts[name] = await writeTable({ database, portable, name }, table);
    database.close();
    renameSync(part, path);
    delete counts[exportTable];
    return counts;
  } catch (error) {
    if (database.isOpen) database.close();
    for (const each of [path, part]) rmSync(each, { force: true });
    throw error;
  }
}

/** Quota that is noted and not in the ledger yet would be in neither installation. */
async function refuseOwed(): Promise<void> {
  const owed = await Promise.all([
    User.exists({ 'owed.0': { $exists: true } }),
    Redemption.exists({ isOwed: true }),
    Order.exists({ isOwed: true }),
  ]);
  if (owed.some(Boolean)) throw new Error('Quota is being granted. Try again in a minute.');
}

interface Writing {
  database: DatabaseSync;
  portable: Portable;
  name: string;
}

async function writeTable({ database, portable, name }: Writing, { columns, rows }: ExportTable): Promise<number> {
  database.exec(`CREATE TABLE ${name} (${columns})`);
  const secrets = secretColumns[name] ?? [];
  let count = 0;
  database.exec('BEGIN');
  let insert: ((row: Row) => void) | undefined;
  for await (const row of rows()) {
    insert ??= insertInto(database, name, Object.keys(row));
    const encrypted = secrets.map((column) => [column, portable.encrypt(String(row[column] ?? ''), column)]);
    insert({ ...row, ...Object.fromEntries(encrypted) });
    count += 1;
    if (count % rowsAtOnce === 0) await nextTurn(); // SQLite blocks: others get their turn
  }
  database.exec('COMMIT');
  return count;
}
