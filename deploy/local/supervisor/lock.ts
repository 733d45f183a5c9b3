import { DatabaseSync } from 'node:sqlite';

/**
 * Takes the data folder for this process, or returns undefined when another one has it. The kernel gives the lock back
 * when its owner ends in whatever way, so no stale lock can exist. (SQLite is the portable file lock that Node brings.)
 */
export function takeLock(file: string): { release(): void } | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (!/locked|busy/i.test((error as Error).message)) throw error;
    return undefined;
  }
}
