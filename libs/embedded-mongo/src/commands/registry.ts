import { Long } from 'bson';
import { runPipeline } from '../aggregate/pipeline.ts';
import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import type { Plan } from '../query/plan.ts';
import { parseSort } from '../query/sort.ts';
import { planOf } from '../query/stream.ts';
import type { Store } from '../store.ts';
import type { Doc } from '../values/document.ts';
import { create, drop, dropDatabase, listCollections, listDatabases, renameCollection } from './collections.ts';
import { remove } from './delete.ts';
import { buildInfo, collStats, connectionStatus, dbStats, getParameter, hello, serverStatus, yes } from './diagnostics.ts';
import { countCommand, distinct, find } from './find.ts';
import { findAndModify } from './find-and-modify.ts';
import { collMod, createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { insert } from './insert.ts';
import { type Answer, type Command, collectionName, count, type Request, refuseCollation, type Work } from './request.ts';
import { update } from './update.ts';

/** Every command that this server answers. Names are case-sensitive, as in MongoDB. */
export const commands: ReadonlyMap<string, Command> = new Map<string, Command>(
  Object.entries({
    hello: { run: hello },
    isMaster: { run: hello },
    ismaster: { run: hello },
    ping: { run: yes },
    buildInfo: { run: buildInfo },
    buildinfo: { run: buildInfo },
    connectionStatus: { run: connectionStatus },
    serverStatus: { run: serverStatus },
    collStats: { run: collStats },
    dbStats: { run: dbStats },
    getParameter: { run: getParameter },
    startSession: { run: yes },
    endSessions: { run: yes },
    refreshSessions: { run: yes },
    killSessions: { run: yes },
    fsync: { run: yes },
    find: { run: find },
    explain: { run: explain },
    getMore: { run: getMore },
    killCursors: { run: killCursors },
    count: { run: countCommand },
    distinct: { run: distinct },
    aggregate: { run: aggregate },
    listCollections: { run: listCollections },
    listDatabases: { run: listDatabases },
    listIndexes: { run: listIndexes },
    insert: { run: insert, writes: true },
    update: { run: update, writes: true },
    delete: { run: remove, writes: true },
    findAndModify: { run: findAndModify, writes: true },
    findandmodify: { run: findAndModify, writes: true },
    create: { run: create, writes: true },
    drop: { run: drop, writes: true },
    dropDatabase: { run: dropDatabase, writes: true },
    renameCollection: { run: renameCollection, writes: true },
    createIndexes: { run: createIndexes, writes: true },
    dropIndexes: { run: dropIndexes, writes: true },
    collMod: { run: collMod, writes: true },
    tollgateBackup: { run: backup },
  }),
);

/**
 * `tollgateBackup` (no command of MongoDB's): copies the whole store, as it is when the copy is whole, into a file of its data folder, while
 * everybody goes on reading and writing. Who asked takes the file away; the next copy writes over one that nobody took. Throws: CommandError 117.
 */
async function backup(store: Store): Promise<Answer> {
  const { file, bytes } = await store.database.copy();
  return { file, bytes, ok: 1 };
}

/** `getMore` */
function getMore(store: Store, { body, db }: Request): Work {
  const id = (body.getMore as Long).toBigInt();
  return store.cursors.more(id, { ns: `${db}.${String(body.collection)}`, batchSize: count(body, 'batchSize') });
}

/** `killCursors` */
function killCursors(store: Store, { body }: Request) {
  const ids = (body.cursors as unknown[]).map((id) => Long.fromString(String(id)));
  const [cursorsKilled, cursorsNotFound] = [ids.filter((id) => store.cursors.kill(id.toBigInt())), [] as Long[]];
  for (const id of ids) if (!cursorsKilled.includes(id)) cursorsNotFound.push(id);
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
}

/** `aggregate` on a collection. */
function aggregate(store: Store, request: Request): Work {
  const { body, db } = request;
  refuseCollation(body);
  if (body.explain === true) throw new CommandError(2, 'the bundled store does not explain queries');
  if (!Array.isArray(body.pipeline)) throw new CommandError(14, "BSON field 'aggregate.pipeline' is missing or not an array");
  const cursor = body.cursor as Doc | undefined;
  if (cursor === undefined) throw new CommandError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  const name = body.aggregate;
  if (typeof name !== 'string') throw new CommandError(73, '{aggregate: 1} is not valid for this pipeline');
  const stream = runPipeline(store, body.pipeline as Doc[], { db, name, hint: body.hint, variables: body.let as Doc | undefined });
  return store.cursors.open(`${db}.${name}`, stream, {
    batchSize: count(cursor, 'batchSize'),
    connectionId: request.connectionId,
  });
}

/** `explain` of a `find`: which index it walks and whether it sorts, in the shape that MongoDB answers `queryPlanner` with. */
function explain(store: Store, { body, db, ...request }: Request): Doc {
  const asked = body.explain as Doc;
  if (typeof asked?.find !== 'string') throw new CommandError(2, 'the bundled store explains find only');
  const collection = store.catalogue.find(db, collectionName({ ...request, db, name: 'find', body: asked }));
  if (!collection) return { queryPlanner: { winningPlan: { stage: 'EOF' } }, ok: 1 };
  const query = { filter: compileFilter((asked.filter as Doc | undefined) ?? {}), sort: parseSort(asked.sort), hint: asked.hint };
  const plan = planOf(store, collection, query, { mayMerge: true, maySift: true });
  return { queryPlanner: { winningPlan: plan.sorted ? walkOf(plan) : { stage: 'SORT', inputStage: walkOf(plan) } }, ok: 1 };
}

function walkOf({ index, ranges, reverse }: Plan): Doc {
  const direction = reverse ? 'backward' : 'forward';
  if (index) return { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: index.name, keyPattern: index.spec.key, direction } };
  if (ranges) return { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: '_id_', keyPattern: { _id: 1 }, direction } };
  return { stage: 'COLLSCAN', direction };
}
