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

/** Copies all collections with their indexes, then compares the counts. Resolves to the number of documents. Throws Refusal. */
export async function copyDatabase({ from, to, access, again, say }: Copy): Promise<number> {
  const [source, target] = [new MongoClient(from, asStored), new MongoClient(to, { ...access, ...asStored })];
  try {
    const names = await collectionNames(source.db());
    if (!again) await refuseFilled(target.db(), names);
    let total = 0;
    for (const name of names) total += await copyCollection(source.db().collection(name), target.db().collection(name), say);
    return total;
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

async function collectionNames(database: Db): Promise<string[]> {
  const collections = await database.listCollections({}, { nameOnly: true }).toArray();
  return collections.map(({ name }) => name).filter((name) => !name.startsWith('system.') && name !== 'startup_probes');
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
  await copyIndexes(source, target); // after the documents: building an index once is cheaper than growing it
  const there = await target.countDocuments();
  if (there < copied) throw new Refusal(`${source.collectionName}: ${copied} documents were written, but the target holds ${there}.`);
  say(`  ${source.collectionName}: ${copied}`);
  return copied;
}

async function copyIndexes(source: Collection, target: Collection): Promise<void> {
  const indexes = (await source.indexes()).filter(({ name }) => name !== '_id_');
  const descriptions = indexes.map(({ v: _version, ns: _namespace, ...description }: Document) => plain(description) as IndexDescription);
  if (descriptions.length > 0) await target.createIndexes(descriptions);
}

/** Index options as plain numbers: some servers refuse wrapped ones. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
  if (typeof value !== 'object' || value === null) return value;
  if ('_bsontype' in value) return wrappedNumbers.has(String(value._bsontype)) ? Number(value) : value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
