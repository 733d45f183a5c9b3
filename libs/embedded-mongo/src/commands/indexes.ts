import { CommandError } from '../errors.ts';
import { openScan } from '../query/scan.ts';
import type { Collection } from '../storage/catalogue.ts';
import { checkedSpec, type Index } from '../storage/index-spec.ts';
import type { Store } from '../store.ts';
import type { Doc } from '../values/document.ts';
import { type Answer, bytesOf, collectionName, count, type Request, type Work } from './request.ts';

const sameValue = (a: unknown, b: unknown) => bytesOf({ v: a ?? null }).equals(bytesOf({ v: b ?? null }));
const numbersOf = (key: unknown) => Object.fromEntries(Object.entries(key as Doc).map(([field, direction]) => [field, Number(direction)]));

/** `createIndexes`: builds in slices; until an index is complete no query uses it, while writes keep it up already. */
export function* createIndexes(store: Store, request: Request): Work {
  const { body, db } = request;
  const name = collectionName(request);
  const createdCollectionAutomatically = store.catalogue.find(db, name) === undefined;
  const collection = store.catalogue.ensure(db, name);
  const specs = ((body.indexes as Doc[] | undefined) ?? []).map(checkedSpec);
  if (specs.length === 0) throw new CommandError(2, 'Must specify at least one index to create');
  const numIndexesBefore = collection.indexes.length + 1;
  for (const spec of specs) {
    if (isKnown(collection, spec)) continue;
    if (collection.indexes.length >= 63)
      throw new CommandError(67, `add index fails, too many indexes for ${db}.${name} key:${JSON.stringify(spec.key)}`);
    yield* build(store, collection, store.catalogue.addIndex(collection, spec));
  }
  return { numIndexesBefore, numIndexesAfter: collection.indexes.length + 1, createdCollectionAutomatically, ok: 1 };
}

/** Throws: CommandError 85 or 86 when an index of that name or key is there with other options. */
function isKnown(collection: Collection, spec: Doc): boolean {
  if (sameValue(numbersOf(spec.key), { _id: 1 })) return true;
  const options = ['unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds'];
  const alike = (index: Index) => options.every((option) => sameValue(normal(index.spec[option]), normal(spec[option])));
  const sameKey = (index: Index) => sameValue(numbersOf(index.spec.key), numbersOf(spec.key));
  const named = collection.indexes.find((index) => index.name === spec.name);
  if (named) {
    if (sameKey(named) && alike(named)) return true;
    throw new CommandError(
      86,
      `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${JSON.stringify(spec)}, existing index: ${JSON.stringify(named.spec)}`,
    );
  }
  const keyed = collection.indexes.find(
    (index) => sameKey(index) && sameValue(index.spec.partialFilterExpression, spec.partialFilterExpression),
  );
  if (keyed) throw new CommandError(85, `Index already exists with a different name: ${keyed.name}`);
  return false;
}

function normal(option: unknown): unknown {
  if (option === false || option === undefined) return null;
  return typeof option === 'object' && option !== null && '_bsontype' in option ? Number(String(option)) : option;
}

function* build(store: Store, collection: Collection, index: Index): Generator<undefined, void> {
  const scan = openScan(store, collection, { reverse: false, sorted: true, exact: true });
  try {
    for (let rows = scan.next(200); rows !== undefined; rows = scan.next(200)) {
      if (index.dropped) throw new CommandError(276, `the build of index ${index.name} was aborted: it was dropped`);
      for (const row of rows) store.rows.addEntries(collection, index, row);
      yield undefined;
    }
    if (!index.dropped) store.catalogue.markBuilt(collection, index);
  } catch (error) {
    if (error instanceof CommandError && !index.dropped) store.catalogue.dropIndex(collection, index);
    throw error;
  }
}

/** `listIndexes` */
export function listIndexes(store: Store, request: Request): Answer | Work {
  const { body, db } = request;
  const name = collectionName(request);
  const collection = store.catalogue.find(db, name);
  if (collection === undefined) throw new CommandError(26, `ns does not exist: ${db}.${name}`);
  const all = [{ v: 2, key: { _id: 1 }, name: '_id_' }, ...collection.indexes.filter(({ built }) => built).map(({ spec }) => spec)];
  const stream = (function* () {
    for (const spec of all) yield bytesOf(spec);
  })();
  return store.cursors.open(`${db}.${name}`, stream, {
    batchSize: count((body.cursor as Doc | undefined) ?? {}, 'batchSize'),
    connectionId: request.connectionId,
  });
}

/** `dropIndexes`: by name, by key, a list of names, or `*`. */
export function dropIndexes(store: Store, request: Request): Answer {
  const { body, db } = request;
  const name = collectionName(request);
  const collection = store.catalogue.find(db, name);
  if (collection === undefined) throw new CommandError(26, `ns not found ${db}.${name}`);
  const nIndexesWas = collection.indexes.length + 1;
  const wanted = body.index === '*' ? collection.indexes.map((index) => index.name) : [body.index].flat();
  for (const which of wanted) {
    if (which === '_id_' || (typeof which === 'object' && sameValue(numbersOf(which), { _id: 1 })))
      throw new CommandError(72, 'cannot drop _id index');
    const index = collection.indexes.find(
      (other) => other.name === which || (typeof which === 'object' && sameValue(numbersOf(other.spec.key), numbersOf(which))),
    );
    if (index === undefined)
      throw new CommandError(27, `index not found with name [${typeof which === 'string' ? which : JSON.stringify(which)}]`);
    store.catalogue.dropIndex(collection, index);
  }
  return { nIndexesWas, ok: 1 };
}

/** `collMod`: only the lifetime of a TTL index can be changed. */
export function collMod(store: Store, request: Request): Answer {
  const { body, db } = request;
  const name = collectionName(request);
  const collection = store.catalogue.find(db, name);
  if (collection === undefined) throw new CommandError(26, `ns does not exist: ${db}.${name}`);
  const change = body.index as Doc | undefined;
  if (change === undefined) throw new CommandError(72, 'the bundled store can change only the expireAfterSeconds of an index');
  const index = collection.indexes.find(
    (other) =>
      other.name === change.name || (change.keyPattern !== undefined && sameValue(numbersOf(other.spec.key), numbersOf(change.keyPattern))),
  );
  if (index === undefined)
    throw new CommandError(27, `cannot find index ${String(change.name ?? JSON.stringify(change.keyPattern))} for ns ${db}.${name}`);
  const before = index.spec.expireAfterSeconds;
  store.catalogue.changeSpec(index, { ...index.spec, expireAfterSeconds: change.expireAfterSeconds });
  return { expireAfterSeconds_old: before, expireAfterSeconds_new: change.expireAfterSeconds, ok: 1 };
}
