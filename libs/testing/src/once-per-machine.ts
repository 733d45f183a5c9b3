import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const cache = join(import.meta.dirname, '../../../.cache');
const lockMaxAgeMs = 20 * 60_000;

/**
 * The path of a file or folder below `.cache` that is made once and then used by every run. Several processes may ask at once: one makes
 * it, the others wait. It is made beside its place and then renamed: what has its name is complete.
 */
export async function oncePerMachine(name: string, make: (partial: string) => Promise<void>): Promise<string> {
  const path = join(cache, name);
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true });
  for (;;) {
    if (await exists(path)) return path;
    if (await take(lock)) break;
    await delay(250);
  }
  const partial = `${path}.partial`;
  try {
    if (await exists(path)) return path;
    await rm(partial, { recursive: true, force: true });
    await make(partial);
    await rename(partial, path);
    return path;
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Takes the lock folder, also from an owner that died long ago. */
async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const held = await stat(lock).catch(() => undefined);
    if (held && Date.now() - held.mtimeMs > lockMaxAgeMs) await rm(lock, { recursive: true, force: true });
    return false;
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
