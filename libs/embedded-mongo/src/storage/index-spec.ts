import type { StatementSync } from 'node:sqlite';
import { CommandError } from '../errors.ts';
import { compileFilter, type Filter } from '../query/filter.ts';
import { bsonType, type Doc } from '../values/document.ts';
import { beginKey, endKey, invertFrom, keyLength, putValue } from '../values/key.ts';
import { type Locator, openLocator } from '../values/locate.ts';
import { type Path, type Place, parsePath, visitPath, visitValue } from '../values/raw.ts';

/** One declared index, ready to make keys. */
export interface Index {
  id: number;
  name: string;
  /** As `listIndexes` shows it. */
  spec: Doc;
  /** `root` is the top-level field of the path. */
  fields: { path: Path; root: string; descending: boolean }[];
  unique: boolean;
  sparse: boolean;
  partial?: Filter;
  expireAfterSeconds?: number;
  /** True once a document had an array under one of its fields: one document then may have several entries. */
  multikey: boolean;
  built: boolean;
  /** Entries of rows up to this one are on disk; those of later rows may still wait in memory. */
  through: number;
  dropped: boolean;
  /** Entries wait that cannot be written now: no query may use the index. */
  stale: boolean;
  locator?: Locator;
  statements?: Record<'add' | 'addMany' | 'remove' | 'find', StatementSync>;
}

/** Reads a stored specification. Throws: CommandError for kinds of index that this store does not have. */
export function toIndex(row: { id: number; spec: Doc; multikey: boolean; built: boolean; through: number }): Index {
  const { spec } = row;
  const fields = Object.entries(spec.key as Doc).map(([name, direction]) => ({
    path: parsePath(name),
    root: name.split('.')[0] as string,
    descending: Number(direction) < 0,
  }));
  return {
    id: row.id,
    name: spec.name as string,
    spec,
    fields,
    unique: spec.unique === true,
    sparse: spec.sparse === true,
    partial: spec.partialFilterExpression ? compileFilter(spec.partialFilterExpression as Doc) : undefined,
    expireAfterSeconds: spec.expireAfterSeconds === undefined ? undefined : Number(spec.expireAfterSeconds),
    multikey: row.multikey,
    built: row.built,
    through: row.through,
    dropped: false,
    stale: false,
  };
}

/** The fields of a new index, checked and with its name. Throws: CommandError 67 and 197, as MongoDB does. */
export function checkedSpec(given: Doc): Doc {
  const key = given.key as Doc | undefined;
  if (key === undefined || key === null || Object.keys(key).length === 0) throw new CommandError(67, 'Index keys cannot be empty.');
  for (const [field, direction] of Object.entries(key)) {
    if (typeof direction === 'string') throw new CommandError(67, `the bundled store has no '${direction}' indexes (field ${field})`);
    if (field.includes('$**')) throw new CommandError(67, 'the bundled store has no wildcard indexes');
    if (!Number(direction)) throw new CommandError(67, `Values in the index key pattern cannot be 0 (field ${field})`);
  }
  if (given.collation && (given.collation as Doc).locale !== 'simple') throw new CommandError(67, 'the bundled store has no collations');
  if (given.expireAfterSeconds !== undefined && Object.keys(key).length > 1) {
    throw new CommandError(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL.');
  }
  const { v, ns, background, ...rest } = given;
  const name =
    (given.name as string | undefined) ??
    Object.entries(key)
      .map(([field, direction]) => `${field}_${direction}`)
      .join('_');
  return { v: 2, ...rest, key, name };
}

/**
 * The keys under which `document` stands in `index`; none when a sparse or partial index leaves it out. `locator` has
 * located the document's fields already, when there are several indexes to serve.
 */
export function keysFor(index: Index, document: Buffer, locator: Locator = ownLocator(index, document)): Buffer[] {
  if (index.partial && !index.partial.matches(document, locator)) return [];
  return index.multikey ? manyKeys(index, document) : (oneKey(index, document, locator) ?? manyKeys(index, document));
}

function ownLocator(index: Index, document: Buffer): Locator {
  index.locator ??= openLocator(index.fields.map(({ root }) => root));
  index.locator.locate(document);
  return index.locator;
}

/** The common case, one value for each field; undefined when there is an array. */
function oneKey(index: Index, document: Buffer, { slots, types, offsets }: Locator): Buffer[] | undefined {
  beginKey();
  let present = false;
  for (const { path, root, descending } of index.fields) {
    const slot = slots.get(root) as number;
    let [type, at] = [types[slot] as number, offsets[slot] as number];
    if (path.parts.length > 1) {
      const place = onlyPlace(document, { type, at }, path);
      if (place === undefined) return undefined;
      ({ type, at } = place);
    }
    if (type === bsonType.array) return undefined;
    if (type !== 0) present = true;
    const start = keyLength();
    putValue(document, type, at);
    if (descending) invertFrom(start);
  }
  if (index.sparse && !present) return [];
  return [endKey()];
}

/** Where a dotted path leads when no array lies on the way. */
function onlyPlace(document: Buffer, from: Place, path: Path): Place | undefined {
  let place: Place | undefined;
  let places = 0;
  visitValue(
    document,
    from,
    path,
    (type, at) => {
      places++;
      place = { type, at };
    },
    1,
  );
  return places === 1 ? place : undefined;
}

/** With arrays: one key for each element (at most one field may hold an array, as in MongoDB). */
function manyKeys(index: Index, document: Buffer): Buffer[] {
  const columns: { keys: Buffer[]; array: boolean }[] = [];
  let present = false;
  for (const { path, descending } of index.fields) {
    const keys = new Map<string, Buffer>();
    let array = false;
    const add = (type: number, at: number) => {
      beginKey();
      putValue(document, type, at);
      if (descending) invertFrom(0);
      const key = endKey();
      keys.set(key.toString('latin1'), key);
    };
    let places = 0;
    visitPath(document, 0, path, (type, at, whole) => {
      places++;
      if (type !== 0) present = true;
      if (!whole) return add(type, at);
      array = true;
      if (places === 1) add(bsonType.undefined, 0); // an empty array stands as undefined
    });
    if (places === 0) add(bsonType.undefined, 0); // an array on the way holds no document: not even null is there
    columns.push({ keys: [...keys.values()], array: array || keys.size > 1 });
  }
  if (index.sparse && !present) return [];
  if (columns.filter((column) => column.array).length > 1) {
    throw new CommandError(171, `cannot index parallel arrays: index ${index.name}`);
  }
  let keys = [Buffer.alloc(0)];
  for (const column of columns) keys = keys.flatMap((prefix) => column.keys.map((key) => Buffer.concat([prefix, key])));
  return keys;
}

/** Whether an update of these top-level fields can move a document inside the index. */
export function touches(index: Index, changed: ReadonlySet<string>): boolean {
  for (const { root } of index.fields) if (changed.has(root)) return true;
  return index.partial !== undefined && [...index.partial.fields].some((field) => changed.has(field));
}
