import { hostname } from 'node:os';
import { Long } from 'bson';
import { CommandError } from '../errors.ts';
import type { Store } from '../store.ts';
import { type Doc, maxDocumentBytes } from '../values/document.ts';
import { type Answer, collectionName, type Request } from './request.ts';

const version = '7.0.0';
const versionArray = [7, 0, 0, 0];

/** `hello`: a standalone server of MongoDB 7.0's protocol. Sessions are accepted; retryable writes and transactions are not. */
export function hello(_store: Store, { connectionId, name, body }: Request): Answer {
  const old = name !== 'hello';
  return {
    ...(old ? { ismaster: true } : { isWritablePrimary: true }),
    ...(body.helloOk === true ? { helloOk: true } : {}),
    maxBsonObjectSize: maxDocumentBytes,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
    ok: 1,
  };
}

export function buildInfo(): Answer {
  return {
    version,
    versionArray,
    gitVersion: 'tollgate-bundled-store',
    modules: [],
    bits: 64,
    debug: false,
    maxBsonObjectSize: maxDocumentBytes,
    storageEngines: ['sqlite'],
    ok: 1,
  };
}

export function connectionStatus(): Answer {
  return { authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] }, ok: 1 };
}

export function serverStatus(store: Store): Answer {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const megabytes = (bytes: number) => Math.round(bytes / 1048576);
  const uptimeMs = Date.now() - store.startedAt;
  return {
    host: hostname(),
    version,
    process: 'tollgate-bundled-store',
    pid: Long.fromNumber(process.pid),
    uptime: uptimeMs / 1000,
    uptimeMillis: Long.fromNumber(uptimeMs),
    localTime: new Date(),
    mem: {
      bits: 64,
      resident: megabytes(rss),
      heapTotal: megabytes(heapTotal),
      heapUsed: megabytes(heapUsed),
      external: megabytes(external),
      supported: true,
    },
    metrics: { cursor: { open: { total: Long.fromNumber(store.cursors.size()) } } },
    storageEngine: { name: 'sqlite', supportsCommittedReads: true, persistent: true },
    ok: 1,
  };
}

/** `collStats`: the counts; sizes would cost a walk. */
export function collStats(store: Store, request: Request): Answer {
  const name = collectionName(request);
  const collection = store.catalogue.find(request.db, name);
  return { ns: `${request.db}.${name}`, count: collection?.count ?? 0, nindexes: collection ? collection.indexes.length + 1 : 0, ok: 1 };
}

export function dbStats(store: Store, { db }: Request): Answer {
  const collections = store.catalogue.list(db);
  const pages = store.database.prepare('PRAGMA page_count').get() as unknown as [number];
  const pageBytes = store.database.prepare('PRAGMA page_size').get() as unknown as [number];
  return {
    db,
    collections: collections.length,
    objects: collections.reduce((sum, { count }) => sum + count, 0),
    indexes: collections.reduce((sum, { indexes }) => sum + indexes.length + 1, 0),
    storageSize: pages[0] * pageBytes[0],
    ok: 1,
  };
}

export function getParameter(_store: Store, { body }: Request): Answer {
  if (body.featureCompatibilityVersion !== undefined || body.getParameter === '*')
    return { featureCompatibilityVersion: { version: '7.0' }, ok: 1 };
  throw new CommandError(72, 'no option found to get');
}

/** A command that asks only for a yes. */
export function yes(): Answer {
  return { ok: 1 } as Doc;
}
