import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const usualFolders = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/local/go/bin'];

/** The full path of the first of these programs that is installed, or undefined. */
export async function findProgram(...names: string[]): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...usualFolders].filter(Boolean);
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      const found = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return path;
    }
  }
  return undefined;
}
