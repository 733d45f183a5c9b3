// The built web pages: made again only when something they are made of has changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository, run, Stop, say } from './command.mjs';
import { node24 } from './packages.mjs';
import { identityOf } from './process-identity.mjs';

const web = join(repository, 'web');
const dist = join(web, 'dist');
/** Where they are made, beside their place: a console that serves the pages of before finds them until these are whole. Others may build at the same time. */
const next = join(web, `dist-next-${process.pid}`);
const markerName = '.built-from';
const sources = [join(web, 'src'), join(web, 'public'), join(repository, 'libs/contracts/src')];
const singles = [join(web, 'index.html'), join(web, 'package.json'), join(web, 'vite.config.ts'), join(repository, 'package-lock.json')];

/** Builds the web when its sources changed since the last build. */
export async function buildWeb() {
  if (!existsSync(join(web, 'index.html'))) return;
  removeUnfinished();
  const hash = sourceHash();
  const marker = join(dist, markerName);
  if (existsSync(marker) && readFileSync(marker, 'utf8') === hash) return;
  say('Building the web console (its sources changed) ...');
  const startedAt = Date.now();
  const vite = join(repository, 'node_modules/vite/bin/vite.js');
  try {
    const code = await run(node24, [vite, 'build', '--outDir', next, '--emptyOutDir'], {
      cwd: web,
      quiet: true,
      label: 'vite build',
      env: { ...process.env, NO_COLOR: '1' },
    });
    if (code !== 0) throw new Stop('The web console could not be built (the words of vite stand above).');
    writeFileSync(join(next, markerName), hash);
    putInPlace(next, dist);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  say(`  web built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** What builds that were killed have left. */
function removeUnfinished() {
  for (const name of readdirSync(web)) {
    const pid = /^dist-next-(\d+)(-former)?$/.exec(name)?.[1];
    if (pid && identityOf(Number(pid)) === undefined) rmSync(join(web, name), { recursive: true, force: true });
  }
}

/** Renames a folder to `place`, instead of what is there, though others do the same; theirs is as good. */
export function putInPlace(folder, place) {
  const former = `${folder}-former`;
  for (let isThere = false; !isThere; ) {
    try {
      if (existsSync(place)) renameSync(place, former);
      renameSync(folder, place);
      isThere = true;
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error; // another was quicker
    }
    rmSync(former, { recursive: true, force: true });
  }
}

function sourceHash() {
  const hash = createHash('sha256');
  for (const file of [...sources.flatMap(filesBelow), ...singles.filter(existsSync)]) {
    hash.update(relative(repository, file)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}
