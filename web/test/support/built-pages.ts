import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const repository = join(import.meta.dirname, '../../..');

/** The folder with the pages as they are shipped, built anew where something in them has changed. */
export async function builtPages(): Promise<string> {
  await promisify(execFile)(process.execPath, [join(repository, 'deploy/local/bootstrap.mjs'), 'build-web']);
  return join(repository, 'web/dist');
}
