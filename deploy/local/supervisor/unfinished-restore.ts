import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { Refusal } from './refusal.ts';

/**
 * From the first file that a restore puts in its place until balances are those of the store, a mark stands in the data folder: whoever
 * started on what is there by then would have Redis and the store of two times, or one without the other.
 */
export function markRestore({ restoreMark }: DataFolder, places: string[]): void {
  writeFileSync(restoreMark, places.join('\n'), { mode: 0o600, flush: true });
}

/** The restore is whole. */
export function unmarkRestore({ restoreMark }: DataFolder): void {
  rmSync(restoreMark, { force: true });
}

/** Takes away what a restore that was broken off has put here, so that the next one finds an empty place. */
export function undoUnfinishedRestore(folder: DataFolder): void {
  if (!existsSync(folder.restoreMark)) return;
  const placed = readFileSync(folder.restoreMark, 'utf8').split('\n');
  if (placed.includes(folder.secretsFile)) rmSync(folder.secretsFile, { force: true });
  for (const path of [folder.store, folder.redis]) {
    for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
  }
  unmarkRestore(folder);
}

/** Throws Refusal where a restore was broken off. */
export function refuseUnfinishedRestore({ root, restoreMark }: DataFolder): void {
  if (!existsSync(restoreMark)) return;
  throw new Refusal(
    [
      `A restore into ${root} was broken off: what is there are parts that do not fit together. Nothing was started.`,
      'Restore again (npm run restore -- --from <the backup>), or begin anew with npm start -- --fresh.',
    ].join('\n'),
  );
}
