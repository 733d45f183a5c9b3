import { type Cursors, openCursors } from './cursors.ts';
import { type Catalogue, openCatalogue } from './storage/catalogue.ts';
import { type Database, type DatabaseOptions, openDatabase } from './storage/database.ts';
import { type Entries, openEntries } from './storage/entries.ts';
import { openRows, type Rows } from './storage/rows.ts';

/** Everything that commands work on. */
export interface Store {
  database: Database;
  catalogue: Catalogue;
  entries: Entries;
  rows: Rows;
  cursors: Cursors;
  startedAt: number;
}

/** Opens the store in `folder`. Throws: StoreUnusable. */
export function openStore(folder: string, options: DatabaseOptions = {}): Store {
  const database = openDatabase(folder, options);
  const catalogue = openCatalogue(database);
  const entries = openEntries(database, catalogue);
  entries.recover(false);
  return { database, catalogue, entries, rows: openRows(database, entries), cursors: openCursors(), startedAt: Date.now() };
}
