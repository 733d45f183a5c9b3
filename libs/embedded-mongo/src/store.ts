import { type Cursors, openCursors } from './commands/cursors.ts';
import { type Catalogue, openCatalogue } from './storage/catalogue.ts';
import { type Database, type DatabaseOptions, openDatabase } from './storage/database.ts';
import { openRows, type Rows } from './storage/rows.ts';

/** Everything that commands work on. */
export interface Store {
  database: Database;
  catalogue: Catalogue;
  rows: Rows;
  cursors: Cursors;
  startedAt: number;
}

/** Opens the store in `folder`. Throws: StoreUnusable. */
export function openStore(folder: string, options: DatabaseOptions = {}): Store {
  const database = openDatabase(folder, options);
  const catalogue = openCatalogue(database);
  return { database, catalogue, rows: openRows(database, catalogue), cursors: openCursors(), startedAt: Date.now() };
}
