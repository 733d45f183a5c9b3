import { aggregate } from './aggregate.ts';
import { backup } from './backup.ts';
import { create, drop, dropDatabase, listCollections, listDatabases, renameCollection } from './collections.ts';
import { getMore, killCursors } from './cursors.ts';
import { remove } from './delete.ts';
import { buildInfo, collStats, connectionStatus, dbStats, getParameter, hello, serverStatus, yes } from './diagnostics.ts';
import { explain } from './explain.ts';
import { countCommand, distinct, find } from './find.ts';
import { findAndModify } from './find-and-modify.ts';
import { collMod, createIndexes, dropIndexes, listIndexes } from './indexes.ts';
import { insert } from './insert.ts';
import type { Command } from './request.ts';
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
