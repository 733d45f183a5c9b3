import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const inMemory = '/dev/shm';
const wantedBytes = 2 * 1024 ** 3;

/**
 * Where tests keep what lasts no longer than they do: in memory, where the system has a folder for that with room in it. Their engines
 * write little, but wait for the disk at each commit, and a run has hundreds of them. `TMPDIR` names another place.
 */
export function scratchFolder(): string {
  if (process.env.TMPDIR) return tmpdir();
  try {
    accessSync(inMemory, constants.W_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= wantedBytes ? inMemory : tmpdir();
  } catch {
    return tmpdir(); // no Linux
  }
}
