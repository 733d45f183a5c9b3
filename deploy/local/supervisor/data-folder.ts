import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { Refusal } from './refusal.ts';

/** Where one installation keeps its things. */
export function dataFolder(root: string) {
  const run = join(root, 'run');
  return {
    root,
    run,
    sockets: socketFolder(root, run),
    store: join(root, 'store'),
    redis: join(root, 'redis'),
    logs: join(root, 'logs'),
    secretsFile: join(root, 'secrets.json'),
    restoreMark: join(root, 'restore-unfinished'),
    stateFile: join(run, 'state.json'),
    lockFile: join(run, 'lock'),
    backupLock: join(run, 'backup-lock'),
    lifeline: join(run, 'lifeline'),
    compileCache: join(run, 'compile-cache'),
    redisConfig: join(run, 'redis.conf'),
  };
}
export type DataFolder = ReturnType<typeof dataFolder>;

/** What `sockaddr_un` takes, less its closing zero: 104 bytes on macOS, 108 on Linux. */
const longestSocketPath = 103;
const longestSocketName = 'billing-64.sock';

/**
 * Where the sockets of engines and services are: beside the other things of the run, or, as the system takes short paths only (and a
 * connection string no question mark), in a folder of the same installation below the user's runtime directory.
 */
function socketFolder(root: string, run: string): string {
  if (Buffer.byteLength(join(run, longestSocketName)) <= longestSocketPath && !run.includes('?')) return run;
  const name = `tollgate-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
  return join(process.env.XDG_RUNTIME_DIR || tmpdir(), name);
}

/** SQLite opens no file whose path has more than 512 bytes; the longest of ours is that of the store's log. */
const longestRoot = 450;

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'a part of the path is too long',
  ENOENT: 'no folder can be made there', // as below /proc
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in the way',
};

/** Makes the folders and proves with a written file that they can be written. Throws Refusal with the reason. */
export function prepareDataFolder(folder: DataFolder): void {
  if (Buffer.byteLength(folder.root) > longestRoot)
    throw new Refusal(
      `The data folder ${folder.root} cannot be used: its path is longer than ${longestRoot} bytes. Name another one with DATA_DIR.`,
    );
  try {
    for (const path of [folder.root, folder.run, folder.sockets, folder.store, folder.redis, folder.logs]) makeFolder(path);
    closeToOthers(folder.sockets);
    const probe = join(folder.run, `probe-${process.pid}`);
    try {
      writeFileSync(probe, 'can be written');
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    const reason = reasons[code] ?? message;
    throw new Refusal(`The data folder ${folder.root} cannot be used: ${reason} (${code}). Name another one with DATA_DIR=/path npm start`);
  }
}

/** Whoever may open the folder of the sockets may speak to the engines. Throws Refusal when it is somebody else's. */
function closeToOthers(path: string): void {
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) throw new Refusal(`${path} is not a folder of this user's. Delete it.`);
  chmodSync(path, 0o700);
}

/** What a run leaves behind outside the data folder. */
export function removeSockets(folder: DataFolder): void {
  if (folder.sockets !== folder.run) rmSync(folder.sockets, { recursive: true, force: true });
}
