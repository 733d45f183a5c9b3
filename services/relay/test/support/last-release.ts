import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineUnavailable } from '@tollgate/testing';

const repository = join(import.meta.dirname, '../../../..');
const run = promisify(execFile);

export interface Release {
  commit: string;
  /** Where its services are. */
  services: string;
  remove(): Promise<void>;
}

/**
 * The sources of the release that `deploy/last-release` names (or LAST_RELEASE), taken out of this repository's history into a folder of their own; packages are
 * those of today. Throws: EngineUnavailable where there is no history.
 */
export async function lastRelease(): Promise<Release> {
  const commit = (process.env.LAST_RELEASE ?? (await readFile(join(repository, 'deploy/last-release'), 'utf8'))).trim();
  await run('git', ['-C', repository, 'cat-file', '-e', `${commit}^{commit}`]).catch((cause) => {
    throw new EngineUnavailable(`the last release (${commit}) is not in the history of this copy: git fetch --unshallow brings it`, {
      cause,
    });
  });
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-last-release-'));
  const archive = `${folder}/sources.tar`;
  await run('git', ['-C', repository, 'archive', '--output', archive, commit, 'libs', 'services', 'package.json', 'tsconfig.base.json']);
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
  await linkPackages(folder);
  return { commit, services: join(folder, 'services'), remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Its own rooms under their names, everything else as it is installed here. */
async function linkPackages(folder: string): Promise<void> {
  const [packages, own] = [join(folder, 'node_modules'), join(folder, 'node_modules/@tollgate')];
  await mkdir(own, { recursive: true });
  const installed = join(repository, 'node_modules');
  for (const name of await readdir(installed)) if (name !== '@tollgate') await symlink(join(installed, name), join(packages, name));
  for (const kind of ['libs', 'services']) {
    for (const room of await readdir(join(folder, kind))) await symlink(join(folder, kind, room), join(own, room));
  }
}
