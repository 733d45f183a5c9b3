import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from './refusal.ts';

/** Where one installation keeps its things. */
export function dataFolder(root: string) {
  const run = join(root, 'run');
  return {
    root,
    run,
    store: join(root, 'store'),
    redis: join(root, 'redis'),
    logs: join(root, 'logs'),
    secretsFile: join(root, 'secrets.json'),
    stateFile: join(run, 'state.json'),
    lockFile: join(run, 'lock'),
    lifeline: join(run, 'lifeline'),
    redisConfig: join(run, 'redis.conf'),
  };
}
export type DataFolder = ReturnType<typeof dataFolder>;

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in the way',
};

/** Makes the folders and proves with a written file that they can be written. Throws Refusal with the reason. */
export function prepareDataFolder(folder: DataFolder): void {
  try {
    for (const path of [folder.root, folder.run, folder.store, folder.redis, folder.logs]) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    }
    const probe = join(folder.run, `probe-${process.pid}`);
    writeFileSync(probe, 'can be written');
    rmSync(probe);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const reason = reasons[code] ?? message;
    throw new Refusal(`The data folder ${folder.root} cannot be used: ${reason} (${code}). Name another one with DATA_DIR=/path npm start`);
  }
}
