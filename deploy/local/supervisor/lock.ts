import { DatabaseSync } from 'node:sqlite';
import { Refusal } from './refusal.ts';

/**
 * Takes the data folder for this process, or returns undefined when another one has it. The kernel gives the lock back
 * when its owner ends in whatever way, so no stale lock can exist. (SQLite is the portable file lock that Node brings.)
 * Throws Refusal when the file is something else.
 */
export function takeLock(file: string): { release(): void } | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    const { message } = error as Error;
    if (/locked|busy/i.test(message)) return undefined;
    if (/disk is full/i.test(message)) throw new Refusal(`${file} cannot be written: the disk is full.`);
    throw new Refusal(`${file} is not the lock of an installation (${message}). If it is nobody's, delete it: it holds nothing.`);
  }
}
