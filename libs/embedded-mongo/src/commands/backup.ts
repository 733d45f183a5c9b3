import type { Store } from '../store.ts';
import type { Answer } from './request.ts';

/**
 * `tollgateBackup` (no command of MongoDB's): copies the whole store, as it is when the copy is whole, into a file of its data folder, while
 * everybody goes on reading and writing. Who asked takes the file away; the next copy writes over one that nobody took. Throws: CommandError 117.
 */
export async function backup(store: Store): Promise<Answer> {
  const { file, bytes } = await store.database.copy();
  return { file, bytes, ok: 1 };
}
