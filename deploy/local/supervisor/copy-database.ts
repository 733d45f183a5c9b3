import type { SchemaRow } from '@tollgate/db';
import {
  type AnyBulkWriteOperation,
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
  MongoClient,
  type MongoClientOptions,
} from 'mongodb';
import { Refusal } from './refusal.ts';

const batchSize = 500;
const longestReason = 300;
const schemaName = 'schema';
const apart = new Set([schemaName, 'startup_probes']);
const wrappedNumbers = new Set(['Int32', 'Double', 'Long']);
/** Numbers, dates and patterns stay exactly the BSON types they are. */
const asStored = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true };

interface Copy {
  from: string;
  to: string;
  /** How the target is reached, beside its address. */
  access: MongoClientOptions;
  /** Whether a target that holds data already is written to. */
  again: boolean;
  say(line: string): void;
}

/**
 * Copies all collections with their indexes, then compares the counts. Until all is there no service starts on the target.
 * Resolves to the number of documents. Throws Refusal.
 */
export async function copyDatabase({ from, to, access, again, say }: Copy): Promise<number> {
  const [source, target] = [new MongoClient(from, asStored), new MongoClient(to, { ...access, ...asStored })];
  try {
    const names = await collectionNames(source.db());
    if (!again) await refuseFilled(target.db(), [...names, schemaName]);
    await markUnfinished(target.db());
    let total = 0;
    for (const name of names) total += await copyCollection(source.db().collection(name), target.db().collection(name), say);
    return total + (await copySchema(source.db(), target.db()));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { message } = error as Error; // what else the driver's errors hold are documents
    throw new Refusal(`The copy was broken off: ${message.slice(0, longestReason)}\nGo on with it: the same command, and --again.`);
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** All but that of the version, which is copied last. */
async function collectionNames(database: Db): Promise<string[]> {
  const collections = await database.listCollections({}, { nameOnly: true }).toArray();
  return collections.map(({ name }) => name).filter((name) => !name.startsWith('system.') && !apart.has(name));
}

function schemaIn(database: Db): Collection<SchemaRow> {
  return database.collection<SchemaRow>(schemaName);
}

async function markUnfinished(target: Db): Promise<void> {
  const first = { version: 0, least: 0, owner: null, beat: 0, at: null };
  await schemaIn(target).updateOne({ _id: 'schema' }, { $set: { isUnfinishedCopy: true }, $setOnInsert: first }, { upsert: true });
}

/** The version of the database, in the place of the mark. */
async function copySchema(source: Db, target: Db): Promise<number> {
  const row = await schemaIn(source).findOne({ _id: 'schema' });
  if (row === null) await schemaIn(target).deleteOne({ _id: 'schema' });
  else await schemaIn(target).replaceOne({ _id: 'schema' }, row);
  return row === null ? 0 : 1;
}

async function refuseFilled(database: Db, names: string[]): Promise<void> {
  for (const name of names) {
    if (!(await database.collection(name).findOne({}, { projection: { _id: 1 } }))) continue;
    throw new Refusal(
      `The target's collection ${name} holds data already. Name an empty database, or add --again to go on with an interrupted copy.`,
    );
  }
}

async function copyCollection(source: Collection, target: Collection, say: (line: string) => void): Promise<number> {
  let copied = 0;
  let batch: AnyBulkWriteOperation[] = [];
  const write = async () => {
    if (batch.length === 0) return;
    await target.bulkWrite(batch, { ordered: false });
    copied += batch.length;
    batch = [];
  };
  for await (const document of source.find({}, { batchSize })) {
    batch.push({ replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } });
    if (batch.length === batchSize) await write();
  }
  await write();
  const expires = await copyIndexes(source, target); // after the documents: building an index once is cheaper than growing it
  const there = Number(await target.countDocuments()); // wrapped, as all numbers here
  if (there !== copied && !expires) throw new Refusal(otherCount(source.collectionName, { copied, there }));
  say(`  ${source.collectionName}: ${copied}`);
  return copied;
}

/** What is there beside what was copied may be what was deleted here since an earlier copy: a token that works again. */
function otherCount(name: string, { copied, there }: { copied: number; there: number }): string {
  const found = `${name}: ${copied} documents were copied, but the target holds ${there}.`;
  return there < copied ? found : `${found} Some of them are not from here, or were deleted here since: copy into an empty database.`;
}

/** Resolves to whether documents of this collection go away by themselves. */
async function copyIndexes(source: Collection, target: Collection): Promise<boolean> {
  const indexes = (await source.indexes()).filter(({ name }) => name !== '_id_');
  const descriptions = indexes.map(({ v: _version, ns: _namespace, ...description }: Document) => plain(description) as IndexDescription);
  if (descriptions.length > 0) await target.createIndexes(descriptions);
  return descriptions.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
}

/** Index options as plain numbers: some servers refuse wrapped ones. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
  if (typeof value !== 'object' || value === null) return value;
  if ('_bsontype' in value) return wrappedNumbers.has(String(value._bsontype)) ? Number(value) : value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
