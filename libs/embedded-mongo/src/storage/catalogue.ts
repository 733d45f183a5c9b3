import type { StatementSync } from 'node:sqlite';
import { serialize } from 'bson';
import { CommandError } from '../errors.ts';
import { decode } from '../values/decode.ts';
import { type Doc, toBuffer } from '../values/document.ts';
import type { Locator } from '../values/locate.ts';
import type { Database } from './database.ts';
import { type Index, toIndex } from './index-spec.ts';

export interface Collection {
  id: number;
  db: string;
  name: string;
  options: Doc;
  /** Documents, kept exact with every write. */
  count: number;
  /** Whether `count` differs from what the catalogue's table says. */
  countChanged: boolean;
  /** Number of the next row; never one that was used before, also not by a document that is gone. */
  nextRow: number;
  statements?: Record<'insert' | 'remove' | 'replace' | 'byId' | 'byNumber', StatementSync>;
  /** Finds the fields of all indexes; made for just these. */
  locator?: { indexes: Index[]; count: number; fields: Locator };
  /** All but `_id_`. */
  indexes: Index[];
  dropped: boolean;
}

/** What collections and indexes there are. Kept in memory, stored in two tables. */
export interface Catalogue {
  find(db: string, name: string): Collection | undefined;
  /** The collection, made now when it is missing. */
  ensure(db: string, name: string, options?: Doc): Collection;
  list(db: string): Collection[];
  all(): Collection[];
  databases(): string[];
  drop(collection: Collection): void;
  rename(collection: Collection, db: string, name: string): void;
  addIndex(collection: Collection, spec: Doc): Index;
  /** Marks an index that has the entries of all documents. */
  markBuilt(collection: Collection, index: Index): void;
  markMultikey(index: Index): void;
  markThrough(index: Index, r: number): void;
  changeSpec(index: Index, spec: Doc): void;
  dropIndex(collection: Collection, index: Index): void;
  /** Writes changed counts; part of every commit. */
  saveCounts(): void;
  /** Reads everything again, after a rollback. */
  reload(): void;
}

export function openCatalogue(database: Database): Catalogue {
  const databases = new Map<string, Map<string, Collection>>();

  const put = (collection: Collection) => {
    const names = databases.get(collection.db) ?? new Map<string, Collection>();
    names.set(collection.name, collection);
    databases.set(collection.db, names);
  };
  const dropEntries = (index: Index) => {
    database.exec(`DROP TABLE i${index.id}`);
    index.dropped = true;
  };
  const forget = (collection: Collection) => {
    const names = databases.get(collection.db);
    names?.delete(collection.name);
    if (names?.size === 0) databases.delete(collection.db);
  };
  /** Objects that are still there stay the same objects: walks and cursors hold on to them. */
  const reload = () => {
    const before = new Map(
      [...databases.values()].flatMap((names) => [...names.values()]).map((collection) => [collection.id, collection]),
    );
    for (const collection of before.values()) collection.dropped = true;
    databases.clear();
    const byId = new Map<number, { collection: Collection; indexes: Map<number, Index> }>();
    for (const row of rows(database, 'SELECT id, db, name, options, count FROM collections ORDER BY id')) {
      const [id, db, name, options, count] = row as [number, string, string, Uint8Array, number];
      const [highest] = database.prepare(`SELECT max(r) FROM c${id}`).get() as unknown as [number | null];
      const nextRow = (highest ?? 0) + 1;
      const read = { id, db, name, options: decode(toBuffer(options)), count, countChanged: false, nextRow, indexes: [], dropped: false };
      const known = before.get(id);
      const indexes = new Map(known?.indexes.map((index) => [index.id, index]));
      const collection: Collection = known ? Object.assign(known, read) : read;
      byId.set(id, { collection, indexes });
      put(collection);
    }
    for (const row of rows(database, 'SELECT id, collection, spec, multikey, built, through FROM indexes ORDER BY id')) {
      const [id, owner, spec, multikey, built, through] = row as [number, number, Uint8Array, number, number, number];
      const { collection, indexes } = byId.get(owner) as { collection: Collection; indexes: Map<number, Index> };
      const read = toIndex({ id, spec: decode(toBuffer(spec)), multikey: multikey === 1, built: built === 1, through });
      collection.nextRow = Math.max(collection.nextRow, through + 1);
      const known = indexes.get(id);
      collection.indexes.push(known ? Object.assign(known, read) : read);
    }
  };
  reload();

  return {
    find: (db, name) => databases.get(db)?.get(name),
    ensure(db, name, options = {}) {
      const known = databases.get(db)?.get(name);
      if (known) return known;
      checkName(db, name);
      database.begin();
      const { lastInsertRowid } = database
        .prepare('INSERT INTO collections (db, name, options, count) VALUES (?, ?, ?, 0)')
        .run(db, name, serialize(options));
      const id = Number(lastInsertRowid);
      database.exec(`CREATE TABLE c${id} (r INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, doc BLOB NOT NULL)`);
      const collection: Collection = { id, db, name, options, count: 0, countChanged: false, nextRow: 1, indexes: [], dropped: false };
      put(collection);
      return collection;
    },
    all: () => [...databases.values()].flatMap((names) => [...names.values()]),
    list: (db) => [...(databases.get(db)?.values() ?? [])],
    databases: () => [...databases.keys()],
    drop(collection) {
      database.begin();
      for (const index of collection.indexes) dropEntries(index);
      database.exec(`DROP TABLE c${collection.id}`);
      database.prepare('DELETE FROM indexes WHERE collection = ?').run(collection.id);
      database.prepare('DELETE FROM collections WHERE id = ?').run(collection.id);
      collection.dropped = true;
      forget(collection);
    },
    rename(collection, db, name) {
      checkName(db, name);
      database.begin();
      database.prepare('UPDATE collections SET db = ?, name = ? WHERE id = ?').run(db, name, collection.id);
      forget(collection);
      collection.db = db;
      collection.name = name;
      put(collection);
    },
    addIndex(collection, spec) {
      database.begin();
      const { lastInsertRowid } = database
        .prepare('INSERT INTO indexes (collection, name, spec, multikey, built, through) VALUES (?, ?, ?, 0, 0, 0)')
        .run(collection.id, spec.name as string, serialize(spec));
      const index = toIndex({ id: Number(lastInsertRowid), spec, multikey: false, built: false, through: 0 });
      database.exec(`CREATE TABLE i${index.id} (k BLOB NOT NULL, r INTEGER NOT NULL, PRIMARY KEY (k, r)) WITHOUT ROWID`);
      collection.indexes.push(index);
      return index;
    },
    markBuilt(collection, index) {
      database.begin();
      database.prepare('UPDATE indexes SET built = 1, through = ? WHERE id = ?').run(collection.nextRow - 1, index.id);
      index.built = true;
      index.through = collection.nextRow - 1;
    },
    markMultikey(index) {
      if (index.multikey) return;
      database.begin();
      database.prepare('UPDATE indexes SET multikey = 1 WHERE id = ?').run(index.id);
      index.multikey = true;
    },
    markThrough(index, r) {
      if (index.through === r) return;
      database.begin();
      database.prepare('UPDATE indexes SET through = ? WHERE id = ?').run(r, index.id);
      index.through = r;
    },
    changeSpec(index, spec) {
      database.begin();
      database.prepare('UPDATE indexes SET spec = ? WHERE id = ?').run(serialize(spec), index.id);
      Object.assign(index, toIndex({ ...index, spec }));
    },
    dropIndex(collection, index) {
      database.begin();
      dropEntries(index);
      database.prepare('DELETE FROM indexes WHERE id = ?').run(index.id);
      collection.indexes = collection.indexes.filter((other) => other !== index);
    },
    saveCounts() {
      for (const names of databases.values()) {
        for (const collection of names.values()) {
          if (!collection.countChanged) continue;
          database.prepare('UPDATE collections SET count = ? WHERE id = ?').run(collection.count, collection.id);
          collection.countChanged = false;
        }
      }
    },
    reload,
  };
}

function checkName(db: string, name: string): void {
  if (db === '' || /[/\\. "$\0]/.test(db) || db.length > 63) throw new CommandError(73, `Invalid database name: '${db}'`);
  if (name === '' || name.includes('$') || name.includes('\0') || name.startsWith('system.') || name.length > 200) {
    throw new CommandError(73, `Invalid collection name: '${name}'`);
  }
}

function rows(database: Database, sql: string): unknown[][] {
  return database.prepare(sql).all() as unknown as unknown[][];
}
