import { createHash } from 'node:crypto';
import { Binary } from 'bson';
import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import type { Collection } from '../storage/catalogue.ts';
import type { Store } from '../store.ts';
import type { Doc } from '../values/document.ts';
import { type Answer, bytesOf, collectionName, count, type Request, type Work } from './request.ts';

const refusedOptions = ['capped', 'timeseries', 'viewOn', 'validator', 'clusteredIndex', 'changeStreamPreAndPostImages'];

/** `create` */
export function create(store: Store, request: Request): Answer {
  const { body, db } = request;
  const name = collectionName(request);
  if (store.catalogue.find(db, name)) throw new CommandError(48, `Collection ${db}.${name} already exists.`);
  const refused = refusedOptions.find((option) => body[option]);
  if (refused) throw new CommandError(72, `the bundled store has no '${refused}' collections`);
  if (body.collation && (body.collation as Doc).locale !== 'simple') throw new CommandError(72, 'the bundled store has no collations');
  store.catalogue.ensure(db, name);
  return { ok: 1 };
}

/** `drop`: dropping what is not there is fine, as in MongoDB 7. */
export function drop(store: Store, request: Request): Answer {
  const { db } = request;
  const name = collectionName(request);
  const collection = store.catalogue.find(db, name);
  if (collection === undefined) return { ok: 1 };
  store.catalogue.drop(collection);
  return { nIndexesWas: collection.indexes.length + 1, ns: `${db}.${name}`, ok: 1 };
}

/** `dropDatabase` */
export function dropDatabase(store: Store, { db }: Request): Answer {
  const collections = store.catalogue.list(db);
  for (const collection of collections) store.catalogue.drop(collection);
  return collections.length > 0 ? { dropped: db, ok: 1 } : { ok: 1 };
}

/** `renameCollection` */
export function renameCollection(store: Store, { body }: Request): Answer {
  const [from, to] = [splitNamespace(body.renameCollection), splitNamespace(body.to)];
  const collection = store.catalogue.find(from.db, from.name);
  if (collection === undefined) throw new CommandError(26, `Source collection ${from.db}.${from.name} does not exist`);
  const target = store.catalogue.find(to.db, to.name);
  if (target && body.dropTarget !== true) throw new CommandError(48, 'target namespace exists');
  if (target === collection) throw new CommandError(20, "Can't rename a collection to itself");
  if (target) store.catalogue.drop(target);
  store.catalogue.rename(collection, to.db, to.name);
  return { ok: 1 };
}

function splitNamespace(namespace: unknown): { db: string; name: string } {
  const text = String(namespace);
  const dot = text.indexOf('.');
  if (dot < 1 || dot === text.length - 1) throw new CommandError(73, `Invalid namespace specified '${text}'`);
  return { db: text.slice(0, dot), name: text.slice(dot + 1) };
}

/** `listCollections` */
export function listCollections(store: Store, request: Request): Work {
  const { body, db } = request;
  const filter = compileFilter((body.filter as Doc | undefined) ?? {});
  const all = store.catalogue
    .list(db)
    .map((collection) => bytesOf(body.nameOnly === true ? { name: collection.name, type: 'collection' } : described(collection)));
  const stream = (function* () {
    for (const entry of all) if (filter.matches(entry)) yield entry;
  })();
  return store.cursors.open(`${db}.$cmd.listCollections`, stream, {
    batchSize: count((body.cursor as Doc | undefined) ?? {}, 'batchSize'),
    connectionId: request.connectionId,
  });
}

function described({ name, id, options }: Collection): Doc {
  const uuid = createHash('sha256').update(`collection ${id}`).digest().subarray(0, 16);
  return {
    name,
    type: 'collection',
    options,
    info: { readOnly: false, uuid: new Binary(uuid, Binary.SUBTYPE_UUID) },
    idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
  };
}

/** `listDatabases`: sizes are not told apart by database here. */
export function listDatabases(store: Store, { body }: Request): Answer {
  const filter = compileFilter((body.filter as Doc | undefined) ?? {});
  const databases = store.catalogue
    .databases()
    .map((name) => ({ name, sizeOnDisk: 0, empty: false }))
    .filter((entry) => filter.matches(bytesOf(entry)));
  if (body.nameOnly === true) return { databases: databases.map(({ name }) => ({ name })), ok: 1 };
  return { databases, totalSize: 0, totalSizeMb: 0, ok: 1 };
}
