import { CommandError } from '../errors.ts';
import { decodeValue } from '../values/decode.ts';
import { type Doc, maxDocumentBytes } from '../values/document.ts';
import { beginKey, endKey, putValue } from '../values/key.ts';
import { findField, visitPath } from '../values/raw.ts';
import { type Catalogue, type Collection, toBuffer } from './catalogue.ts';
import type { Database } from './database.ts';
import { type Index, keysFor, touches } from './index-spec.ts';

export interface Row {
  r: number;
  doc: Buffer;
}

/** Documents of one collection with everything that hangs on them. Every function opens the shared transaction itself. */
export interface Rows {
  /** Throws: CommandError 11000, with nothing written. */
  insert(collection: Collection, doc: Buffer): number;
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

export function openRows(database: Database, catalogue: Catalogue): Rows {
  /** Throws when another document than `r` holds one of the keys. */
  const checkUnique = (collection: Collection, index: Index, keys: Buffer[], doc: Buffer, r: number) => {
    const find = database.prepare(`SELECT r FROM i${index.id} WHERE k = ? LIMIT 2`);
    for (const key of keys) {
      for (const row of find.all(key) as unknown as [number][]) {
        if (row[0] !== r)
          throw duplicateKey(
            collection,
            index.name,
            index.fields.map(({ path }) => path.name),
            index.spec.key as Doc,
            doc,
          );
      }
    }
  };
  const addKeys = (index: Index, keys: Buffer[], r: number) => {
    if (keys.length > 1) catalogue.markMultikey(index);
    const add = database.prepare(`INSERT OR IGNORE INTO i${index.id} (k, r) VALUES (?, ?)`);
    for (const key of keys) add.run(key, r);
  };
  const removeKeys = (index: Index, keys: Buffer[], r: number) => {
    const remove = database.prepare(`DELETE FROM i${index.id} WHERE k = ? AND r = ?`);
    for (const key of keys) remove.run(key, r);
  };

  return {
    insert(collection, doc) {
      checkSize(doc);
      database.begin();
      const idKey = idKeyOf(doc);
      const keys = collection.indexes.map((index) => keysFor(index, doc));
      const added = database.prepare(`INSERT OR IGNORE INTO c${collection.id} (id, doc) VALUES (?, ?)`).run(idKey, doc);
      if (added.changes === 0) throw duplicateKey(collection, '_id_', ['_id'], { _id: 1 }, doc);
      const r = Number(added.lastInsertRowid);
      try {
        collection.indexes.forEach((index, i) => {
          if (index.unique) checkUnique(collection, index, keys[i] as Buffer[], doc, r);
        });
      } catch (duplicate) {
        database.prepare(`DELETE FROM c${collection.id} WHERE r = ?`).run(r);
        throw duplicate;
      }
      collection.indexes.forEach((index, i) => addKeys(index, keys[i] as Buffer[], r));
      collection.count++;
      collection.countChanged = true;
      return r;
    },
    replace(collection, row, doc, changed) {
      checkSize(doc);
      database.begin();
      const moves: { index: Index; before: Buffer[]; after: Buffer[] }[] = [];
      for (const index of collection.indexes) {
        if (changed && !touches(index, changed)) continue;
        const [before, after] = [keysFor(index, row.doc), keysFor(index, doc)];
        if (before.length === after.length && before.every((key, i) => key.equals(after[i] as Buffer))) continue;
        if (index.unique) checkUnique(collection, index, after, doc, row.r);
        moves.push({ index, before, after });
      }
      database.prepare(`UPDATE c${collection.id} SET doc = ? WHERE r = ?`).run(doc, row.r);
      for (const { index, before, after } of moves) {
        removeKeys(index, before, row.r);
        addKeys(index, after, row.r);
      }
    },
    remove(collection, row) {
      database.begin();
      for (const index of collection.indexes) removeKeys(index, keysFor(index, row.doc), row.r);
      database.prepare(`DELETE FROM c${collection.id} WHERE r = ?`).run(row.r);
      collection.count--;
      collection.countChanged = true;
    },
    byId(collection, key) {
      const row = database.prepare(`SELECT r, doc FROM c${collection.id} WHERE id = ?`).get(key) as unknown as
        | [number, Uint8Array]
        | undefined;
      return row && { r: row[0], doc: toBuffer(row[1]) };
    },
    byNumber(collection, r) {
      const row = database.prepare(`SELECT doc FROM c${collection.id} WHERE r = ?`).get(r) as unknown as [Uint8Array] | undefined;
      return row && { r, doc: toBuffer(row[0]) };
    },
    addEntries(collection, index, row) {
      database.begin();
      const keys = keysFor(index, row.doc);
      if (index.unique) checkUnique(collection, index, keys, row.doc, row.r);
      addKeys(index, keys, row.r);
    },
  };
}

function checkSize(doc: Buffer): void {
  if (doc.length > maxDocumentBytes) {
    throw new CommandError(10334, `BSONObj size: ${doc.length} is invalid. Size must be between 0 and ${maxDocumentBytes}`);
  }
}

/** MongoDB's own wording, which programs take apart to find the index. */
function duplicateKey(collection: Collection, name: string, fields: string[], keyPattern: Doc, doc: Buffer): CommandError {
  const keyValue: Doc = {};
  for (const field of fields) keyValue[field] = valueAt(doc, field);
  const shown = Object.entries(keyValue)
    .map(([field, value]) => `${field}: ${show(value)}`)
    .join(', ');
  const message = `E11000 duplicate key error collection: ${collection.db}.${collection.name} index: ${name} dup key: { ${shown} }`;
  return new CommandError(11000, message, { keyPattern, keyValue });
}

function valueAt(doc: Buffer, field: string): unknown {
  let value: unknown = null;
  let found = false;
  visitPath(
    doc,
    0,
    { name: field, parts: field.split('.').map((part) => ({ name: Buffer.from(part), isIndex: /^\d+$/.test(part) })) },
    (type, at) => {
      if (!found && type !== 0) value = decodeValue(doc, type, at);
      found = true;
    },
  );
  return value;
}

function show(value: unknown): string {
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  const bson = (value as { _bsontype?: string } | null)?._bsontype;
  if (bson === 'ObjectId') return `ObjectId('${value}')`;
  if (bson !== undefined) return String(value);
  return JSON.stringify(value);
}
