import { ObjectId } from 'bson';
import { CommandError } from '../errors.ts';
import type { Store } from '../store.ts';
import { bsonType, type Doc } from '../values/document.ts';
import { elements, findField } from '../values/raw.ts';
import { collectionName, type Request, rawList, type Work, writeError } from './request.ts';

const idName = Buffer.from('_id');

/** `insert`: each document by itself; a refused one stops the rest only when `ordered`. */
export function* insert(store: Store, request: Request): Work {
  const collection = store.catalogue.ensure(request.db, collectionName(request));
  const ordered = request.body.ordered !== false;
  const writeErrors: Doc[] = [];
  let n = 0;
  for (const [index, document] of rawList(request, 'documents').entries()) {
    try {
      store.rows.insert(collection, withIdFirst(document));
      n++;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push(writeError(index, error));
      if (ordered) break;
    }
    if (index % 64 === 63) yield undefined;
  }
  return writeErrors.length > 0 ? { n, writeErrors, ok: 1 } : { n, ok: 1 };
}

/** MongoDB keeps `_id` first, and makes one when there is none. Throws: CommandError 2 and 53 for an `_id` that cannot be one. */
function withIdFirst(document: Buffer): Buffer {
  const { type, at } = findField(document, 0, idName);
  if (type === bsonType.array || type === bsonType.regex || type === bsonType.undefined) {
    throw new CommandError(53, `The '_id' value cannot be of type ${type === bsonType.array ? 'array' : 'regex'}`);
  }
  if (type !== 0 && at === 9) return document;
  if (type === 0) {
    const id = new ObjectId();
    const head = Buffer.alloc(21);
    head.writeInt32LE(document.length + 17, 0);
    head[4] = bsonType.objectId;
    head.write('_id\0', 5, 'latin1');
    Buffer.from(id.id).copy(head, 9);
    return Buffer.concat([head, document.subarray(4)]);
  }
  const all = [...elements(document, 0)];
  const own = all.findIndex((element) => element.at === at);
  const [id] = all.splice(own, 1);
  const parts = [id, ...all].map((element) => document.subarray((element?.nameAt as number) - 1, element?.end));
  return Buffer.concat([document.subarray(0, 4), ...parts, Buffer.from([0])]);
}
