import { Long } from 'bson';
import { runPipeline } from '../aggregate/pipeline.ts';
import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import type { Plan } from '../query/plan.ts';
import { compileProjection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import { matchingRows, planOf } from '../query/stream.ts';
import type { Store } from '../store.ts';
import { compileUpdate } from '../update/apply.ts';
import { decode } from '../values/decode.ts';
import type { Doc } from '../values/document.ts';
import { create, drop, dropDatabase, listCollections, listDatabases, renameCollection } from './collections.ts';
import { buildInfo, collStats, connectionStatus, dbStats, getParameter, hello, serverStatus, yes } from './diagnostics.ts';
import { countCommand, distinct, find } from './find.ts';
import { collMod, createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { insert } from './insert.ts';
import {
  type Answer,
  type Command,
  collectionName,
  count,
  type Request,
  rawList,
  refuseCollation,
  type Work,
  writeError,
} from './request.ts';
import { applyTo, firstRow, insertUpsert, update } from './update.ts';

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

/** `findAndModify`: one document is found and changed in one step. */
function* findAndModify(store: Store, request: Request): Work {
  const { body, db } = request;
  const name = collectionName(request);
  refuseCollation(body);
  const filter = compileFilter((body.query as Doc | undefined) ?? {});
  const project = compileProjection((body.fields ?? body.projection) as Doc | undefined, filter.source);
  const shown = (doc: Buffer) => decode(project ? project(doc) : doc);
  if (body.remove === true && body.update !== undefined) throw new CommandError(9, 'Cannot specify both an update and remove=true');
  if (body.remove !== true && body.update === undefined) throw new CommandError(9, 'Either an update or remove=true must be specified');
  const search = { filter, hint: body.hint, sort: body.sort, patient: body.upsert !== true };

  if (body.remove === true) {
    const collection = store.catalogue.find(db, name);
    const row = collection && (yield* firstRow(store, collection, search));
    if (!collection || !row) return { lastErrorObject: { n: 0 }, value: null, ok: 1 };
    store.rows.remove(collection, row);
    return { lastErrorObject: { n: 1 }, value: shown(row.doc), ok: 1 };
  }

  const change = compileUpdate(body.update, {
    arrayFilters: body.arrayFilters as Doc[] | undefined,
    variables: body.let as Doc | undefined,
  });
  const collection = body.upsert === true ? store.catalogue.ensure(db, name) : store.catalogue.find(db, name);
  const row = collection && (yield* firstRow(store, collection, search));
  if (collection && row) {
    const { doc } = applyTo(store, collection, { row, filter, change });
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: shown(body.new === true ? doc : row.doc), ok: 1 };
  }
  if (!collection || body.upsert !== true) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  const { id, doc } = insertUpsert(store, collection, { filter, change });
  return { lastErrorObject: { n: 1, updatedExisting: false, upserted: id }, value: body.new === true ? shown(doc) : null, ok: 1 };
}

/** `delete`: large ones go in slices, between which other commands run. */
function* remove(store: Store, request: Request): Work {
  const name = collectionName(request);
  const ordered = request.body.ordered !== false;
  const writeErrors: Doc[] = [];
  let n = 0;
  for (const [index, raw] of rawList(request, 'deletes').entries()) {
    try {
      n += yield* removeMatching(store, { db: request.db, name, statement: decode(raw) });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return writeErrors.length > 0 ? { n, writeErrors, ok: 1 } : { n, ok: 1 };
}

function* removeMatching(store: Store, target: { db: string; name: string; statement: Doc }): Generator<undefined, number> {
  const { statement } = target;
  refuseCollation(statement);
  const filter = compileFilter(statement.q as Doc);
  const collection = store.catalogue.find(target.db, target.name);
  if (collection === undefined) return 0;
  if (count(statement, 'limit') === 1) {
    const row = yield* firstRow(store, collection, { filter, hint: statement.hint, patient: true });
    if (row) store.rows.remove(collection, row);
    return row ? 1 : 0;
  }
  let removed = 0;
  const plan = planOf(store, collection, { filter, hint: statement.hint });
  for (const rows of matchingRows(store, collection, { filter, plan, pieceRows: 64 })) {
    if (rows === undefined) yield undefined;
    else for (const row of rows) store.rows.remove(collection, row); // as they were read: nothing ran in between
    removed += rows?.length ?? 0;
  }
  return removed;
}
