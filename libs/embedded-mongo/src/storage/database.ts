import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { CommandError, StoreUnusable, WriteFailed } from '../errors.ts';

/** Written into the header of every file of ours ("TGMS"), so that no foreign file is ever touched. */
const applicationId = 0x54474d53;
const formatVersion = 1;

export interface Database {
  /** A prepared statement, kept for the next time; rows are arrays. */
  prepare(sql: string): StatementSync;
  exec(sql: string): void;
  /** Opens the transaction that the writes of this turn share. */
  begin(): void;
  isDirty(): boolean;
  commit(): void;
  rollback(): void;
  /** Writes the log back into the file, which truncates it. */
  checkpoint(): void;
  /** Copies all of it, beside what else is done, into a file of the data folder. It is of a moment after this was asked for. Throws: CommandError. */
  copy(): Promise<{ file: string; bytes: number }>;
  close(): void;
}

export interface DatabaseOptions {
  /** For tests of a full disk: the file may not grow beyond this many pages. */
  maxPages?: number;
}

/**
 * Opens (or creates) the store in `folder` and locks it for this process.
 * Throws: StoreUnusable with a message for the operator.
 */
export function openDatabase(folder: string, options: DatabaseOptions = {}): Database {
  const file = join(folder, 'store.sqlite');
  try {
    mkdirSync(folder, { recursive: true });
    const probe = join(folder, '.writable');
    writeFileSync(probe, '');
    unlinkSync(probe);
  } catch (cause) {
    throw new StoreUnusable(
      `the data folder ${folder} cannot be written (${(cause as NodeJS.ErrnoException).code}): check its owner and rights`,
      { cause },
    );
  }
  if (existsSync(file)) refuseForeign(file);
  try {
    return wrap(connect(file, options), join(folder, 'copy.sqlite'));
  } catch (cause) {
    if (cause instanceof StoreUnusable) throw cause;
    throw new StoreUnusable(openFailure(file, cause), { cause });
  }
}

function refuseForeign(file: string): void {
  const header = Buffer.alloc(100);
  let handle: number;
  try {
    handle = openSync(file, 'r');
  } catch (cause) {
    throw new StoreUnusable(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}): check its owner and rights`, { cause });
  }
  const size = readSync(handle, header, 0, 100, 0);
  closeSync(handle);
  if (size === 0) return;
  if (size < 100 || header.toString('latin1', 0, 15) !== 'SQLite format 3') {
    throw new StoreUnusable(
      `${file} is not a file of the bundled store, or it is damaged; nothing was changed. Move it away, or name another folder`,
    );
  }
  const id = header.readUInt32BE(68);
  if (id !== applicationId && header.readUInt32BE(28) > 1) {
    throw new StoreUnusable(`${file} belongs to another program (SQLite application id ${id}); nothing was changed. Name another folder`);
  }
}

function openFailure(file: string, cause: unknown): string {
  const code = sqliteCode(cause);
  if (code === 5 || code === 6) return `${file} is in use by another process: only one store may run on a folder`;
  if (code === 8 || code === 14) return `${file} cannot be written: check its owner and rights`;
  if (code === 13) return `no space left on the disk of ${file}`;
  if (code === 11 || code === 26) return `${file} is damaged: restore it from a backup, or move it away to start empty`;
  return `${file} cannot be opened: ${(cause as Error).message}`;
}

function connect(file: string, options: DatabaseOptions): DatabaseSync {
  const sqlite = new DatabaseSync(file, { timeout: 0 });
  try {
    sqlite.exec('PRAGMA page_size = 8192; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    sqlite.exec(
      'PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY;',
    );
    if (options.maxPages) sqlite.exec(`PRAGMA max_page_count = ${options.maxPages}`);
    sqlite.exec('BEGIN IMMEDIATE');
    const version = sqlite.prepare('PRAGMA user_version').get()?.user_version as number;
    if (version > formatVersion)
      throw new StoreUnusable(`${file} was written by a newer version (format ${version}, this one knows ${formatVersion})`);
    if (version === 0) {
      sqlite.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${formatVersion};`);
      sqlite.exec(
        'CREATE TABLE collections (id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, options BLOB NOT NULL, count INTEGER NOT NULL, UNIQUE (db, name))',
      );
      sqlite.exec(
        'CREATE TABLE indexes (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, name TEXT NOT NULL, spec BLOB NOT NULL, multikey INTEGER NOT NULL, built INTEGER NOT NULL, through INTEGER NOT NULL)',
      );
    }
    sqlite.exec('COMMIT');
    return sqlite;
  } catch (cause) {
    sqlite.close();
    throw cause;
  }
}

/** Pages of 8 KB that are copied at once; the thread that answers waits for no more. */
const pagesAtOnce = 64;
/** To begin a copy between two transactions. */
const mostTries = 2000;

function wrap(sqlite: DatabaseSync, copyFile: string): Database {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      if (statements.size > 2000) statements.clear();
      statement = sqlite.prepare(sql);
      statement.setReturnArrays(true);
      statements.set(sql, statement);
    }
    return statement;
  };
  let dirty = false;
  let isCopying = false;
  return {
    prepare,
    exec: (sql) => sqlite.exec(sql),
    begin() {
      if (dirty) return;
      prepare('BEGIN IMMEDIATE').run();
      dirty = true;
    },
    isDirty: () => dirty,
    commit() {
      if (!dirty) return;
      prepare('COMMIT').run();
      dirty = false;
    },
    rollback() {
      if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
      dirty = false;
    },
    checkpoint: () => sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)'),
    async copy() {
      if (isCopying) throw new CommandError(117, 'a copy of the store is being made already');
      isCopying = true;
      try {
        await copyTo(sqlite, copyFile);
        return { file: copyFile, bytes: statSync(copyFile).size };
      } finally {
        isCopying = false;
      }
    },
    close() {
      statements.clear();
      sqlite.close();
    },
  };
}

/** A copy whose first step meets an open transaction is given up by Node, with no error code; its later steps wait for such. */
async function copyTo(sqlite: DatabaseSync, file: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    for (const end of ['', '-wal', '-journal']) rmSync(`${file}${end}`, { force: true });
    try {
      await backup(sqlite, file, { rate: pagesAtOnce });
      return;
    } catch (cause) {
      if ((cause as { errcode?: number }).errcode !== 0 || tries === mostTries) throw cause;
    }
    await setTimeout(1);
  }
}

function sqliteCode(cause: unknown): number {
  const code = (cause as { errcode?: number }).errcode;
  return code === undefined ? 0 : code & 0xff;
}

/** What SQLite said, in MongoDB's words. Errors of other origin come back as they are. */
export function asCommandError(cause: unknown): unknown {
  if (cause instanceof CommandError || (cause as { code?: string }).code !== 'ERR_SQLITE_ERROR') return cause;
  const code = sqliteCode(cause);
  const { message } = cause as Error;
  if (code === 13) return new WriteFailed(14031, 'no space left on the disk of the bundled store: nothing was written');
  if (code === 10 || code === 8)
    return new WriteFailed(14031, `the bundled store cannot write to its disk (${message}): nothing was written`);
  if (code === 18) return new CommandError(10334, 'the document is larger than the bundled store can keep');
  if (code === 11 || code === 26) return new CommandError(1, `the bundled store's file is damaged (${message}): restore it from a backup`);
  return new CommandError(1, `bundled store: ${message}`);
}
