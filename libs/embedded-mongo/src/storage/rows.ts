import { CommandError } from '../errors.ts';
import { decodeValue } from '../values/decode.ts';
import { type Doc, maxDocumentBytes, toBuffer } from '../values/document.ts';
import { beginKey, endKey, putValue } from '../values/key.ts';
import { openLocator } from '../values/locate.ts';
import { findField, parsePath, visitPath } from '../values/raw.ts';
import type { Collection } from './catalogue.ts';
import type { Database } from './database.ts';
import type { Entries } from './entries.ts';
import { type Index, keysFor, touches } from './index-spec.ts';

export interface Row {
  r: number;
  doc: Buffer;
}

/** Documents of one collection with everything that hangs on them. Every function opens the shared transaction itself. */
export interface Rows {
  /** Throws: CommandError 11000, with nothing written. */
  insert(collection: Collection, doc: Buffer): void;
  /** Puts `doc` in the place of `row`; `changed` names the top-level fields that may differ. Throws: CommandError 11000. */
  replace(collection: Collection, row: Row, doc: Buffer, changed?: ReadonlySet<string>): void;
  remove(collection: Collection, row: Row): void;
  byId(collection: Collection, key: Buffer): Row | undefined;
  byNumber(collection: Collection, r: number): Row | undefined;
  /** Adds the entries of existing documents to a new index. */
  addEntries(collection: Collection, index: Index, row: Row): void;
}

const idName = Buffer.from('_id');

/** Key of a document's `_id`. */
export function idKeyOf(doc: Buffer): Buffer {
  const { type, at } = findField(doc, 0, idName);
  beginKey();
  putValue(doc, type, at);
  return endKey();
}

export function openRows(database: Database, entries: Entries): Rows {
  const statements = (collection: Collection) => {
    const table = `c${collection.id}`;
    collection.statements ??= {
      insert: database.prepare(`INSERT OR IGNORE INTO ${table} (r, id, doc) VALUES (?, ?, ?)`),
      remove: database.prepare(`DELETE FROM ${table} WHERE r = ?`),
      replace: database.prepare(`UPDATE ${table} SET doc = ? WHERE r = ?`),
      byId: database.prepare(`SELECT r, doc FROM ${table} WHERE id = ?`),
      byNumber: database.prepare(`SELECT doc FROM ${table} WHERE r = ?`),
    };
    return collection.statements;
  };
  /** Throws when another document than row `r` holds one of the keys. */
  const checkUnique = (collection: Collection, index: Index, { keys, doc, r }: { keys: Buffer[]; doc: Buffer; r: number }) => {
    if (entries.isTaken(index, keys, r)) {
      throw duplicateKey(collection, { name: index.name, keyPattern: index.spec.key as Doc, doc });
    }
  };

  return {
    insert(collection, doc) {
      checkWritable(collection, doc);
      database.begin();
      const keys = keysOf(collection, doc);
      const r = collection.nextRow;
      const { insert, remove } = statements(collection);
      if (insert.run(r, idKeyOf(doc), doc).changes === 0) throw duplicateKey(collection, { name: '_id_', keyPattern: { _id: 1 }, doc });
      try {
        for (const [i, index] of collection.indexes.entries()) {
          if (index.unique) checkUnique(collection, index, { keys: keys[i] as Buffer[], doc, r });
        }
      } catch (duplicate) {
        remove.run(r);
        throw duplicate;
      }
      for (const [i, index] of collection.indexes.entries()) entries.addNew(index, keys[i] as Buffer[], r);
      collection.nextRow++;
      collection.count++;
      collection.countChanged = true;
    },
    replace(collection, row, doc, changed) {
      checkWritable(collection, doc);
      database.begin();
      const moves: { index: Index; before: Buffer[]; after: Buffer[] }[] = [];
      for (const index of collection.indexes) {
        if (changed && !touches(index, changed)) continue;
        const [before, after] = [keysFor(index, row.doc), keysFor(index, doc)];
        if (before.length === after.length && before.every((key, i) => key.equals(after[i] as Buffer))) continue;
        if (index.unique) checkUnique(collection, index, { keys: after, doc, r: row.r });
        moves.push({ index, before, after });
      }
      statements(collection).replace.run(doc, row.r);
      for (const { index, before, after } of moves) {
        entries.remove(index, before, row.r);
        entries.add(index, after, row.r);
      }
    },
    remove(collection, row) {
      checkWritable(collection);
      database.begin();
      for (const [i, keys] of keysOf(collection, row.doc).entries()) entries.remove(collection.indexes[i] as Index, keys, row.r);
      statements(collection).remove.run(row.r);
      collection.count--;
      collection.countChanged = true;
    },
    byId(collection, key) {
      const row = statements(collection).byId.get(key) as unknown as [number, Uint8Array] | undefined;
      return row && { r: row[0], doc: toBuffer(row[1]) };
    },
    byNumber(collection, r) {
      const row = statements(collection).byNumber.get(r) as unknown as [Uint8Array] | undefined;
      return row && { r, doc: toBuffer(row[0]) };
    },
    addEntries(collection, index, row) {
      database.begin();
      const keys = keysFor(index, row.doc);
      if (index.unique) checkUnique(collection, index, { keys, doc: row.doc, r: row.r });
      entries.add(index, keys, row.r);
    },
  };
}

/** The keys of all indexes, from one pass over the document. */
function keysOf(collection: Collection, doc: Buffer): Buffer[][] {
  const { indexes } = collection;
  if (indexes.length === 0) return [];
  if (collection.locator?.indexes !== indexes || collection.locator.count !== indexes.length) {
    collection.locator = {
      indexes,
      count: indexes.length,
      fields: openLocator(indexes.flatMap(({ fields, partial }) => [...fields.map(({ root }) => root), ...(partial?.fields ?? [])])),
    };
  }
  const { fields } = collection.locator;
  fields.locate(doc);
  return indexes.map((index) => keysFor(index, doc, fields));
}

/** Throws: CommandError 11601 when the collection was dropped while the command ran, 10334 for a document beyond 16 MB. */
function checkWritable(collection: Collection, doc?: Buffer): void {
  if (collection.dropped) throw new CommandError(11601, `collection ${collection.db}.${collection.name} was dropped meanwhile`);
  if (doc && doc.length > maxDocumentBytes) {
    throw new CommandError(10334, `BSONObj size: ${doc.length} is invalid. Size must be between 0 and ${maxDocumentBytes}`);
  }
}

/** MongoDB's own wording, which programs take apart to find the index. */
function duplicateKey(
  { db, name: collection }: Collection,
  { name, keyPattern, doc }: { name: string; keyPattern: Doc; doc: Buffer },
): CommandError {
  const keyValue: Doc = {};
  for (const field of Object.keys(keyPattern)) keyValue[field] = valueAt(doc, field);
  const shown = Object.entries(keyValue)
    .map(([field, value]) => `${field}: ${show(value)}`)
    .join(', ');
  const message = `E11000 duplicate key error collection: ${db}.${collection} index: ${name} dup key: { ${shown} }`;
  return new CommandError(11000, message, { keyPattern, keyValue });
}

function valueAt(doc: Buffer, field: string): unknown {
  let value: unknown = null;
  let found = false;
  visitPath(doc, 0, parsePath(field), (type, at) => {
    if (!found && type !== 0) value = decodeValue(doc, type, at);
    found = true;
  });
  return value;
}

function show(value: unknown): string {
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  const bson = (value as { _bsontype?: string } | null)?._bsontype;
  if (bson === 'ObjectId') return `ObjectId('${value}')`;
  if (bson !== undefined) return String(value);
  return JSON.stringify(value);
}
